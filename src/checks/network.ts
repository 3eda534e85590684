import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HealthCheck } from '../health/contract.js';
import { aListOf, aNonEmptyString, aString, aWholeNumber, mustBe, oneOf, required } from '../options/rules.js';
import { makeCheck, type CommonOptions } from './make-check.js';

/** Frequent probes must not become a load on the server that is checked. */
const CACHED = { cacheMs: 1_000 };

/** Options of {@link tcpCheck}. */
export type TcpOptions = CommonOptions & {
  readonly host: string;
  /** From 1 to 65,535. */
  readonly port: number;
};

/**
 * Fails while no TCP connection can be made. The connection is closed at once.
 *
 * Prefer the protocol's own client if there is one: an open port says little about the service behind it, and a server may log
 * every connection that sends nothing. Never for `livez`, and not for the service's own port.
 *
 * @throws TypeError that lists every fault of the options
 */
export function tcpCheck(options: TcpOptions): HealthCheck {
  return makeCheck(options, {
    where: 'tcpCheck',
    name: 'tcp',
    dependency: true,
    rules: { host: required(aNonEmptyString), port: required(aWholeNumber(1, 65_535)) },
    timing: CACHED,
    check: ({ signal }) => {
      const { host, port } = options;
      return whileConnected(connect({ host, port }), 'connect', signal, () => undefined);
    },
  });
}

/** Waits for a connection to be made, calls `use`, and closes it. */
export async function whileConnected<T>(socket: Socket, event: string, signal: AbortSignal, use: () => T): Promise<T> {
  // An error that follows the event has no other listener, and would end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
    return use();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    socket.destroy();
  }
}

/** Options of {@link dnsCheck}. */
export type DnsOptions = CommonOptions & {
  readonly hostname: string;
};

/**
 * Fails while a name has no address, as `getaddrinfo` of the system resolves it, `/etc/hosts` included.
 *
 * A check of the service behind the name says more; use this one, with `critical: false`, to tell the two faults apart. Never for
 * `livez`. A resolver that hangs keeps a thread of libuv busy, of which there are four.
 *
 * @throws TypeError that lists every fault of the options
 */
export function dnsCheck(options: DnsOptions): HealthCheck {
  return makeCheck(options, {
    where: 'dnsCheck',
    name: 'dns',
    dependency: true,
    rules: { hostname: required(aNonEmptyString) },
    timing: CACHED,
    check: async () => void (await lookup(options.hostname)),
  });
}

/** Options of {@link httpCheck}. */
export type HttpOptions = CommonOptions & {
  /** With `http:` or `https:`. */
  readonly url: string | URL;
  /** Default `GET`. */
  readonly method?: 'GET' | 'HEAD' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The status codes that pass. Default: 200 to 399. Redirects are not followed. */
  readonly statuses?: readonly number[] | undefined;
};

/**
 * Fails while a URL is not answered, or with a status that does not pass: `answered 503 Service Unavailable`. Asked with `fetch`, whose
 * connections are kept. The body is not read.
 *
 * Ask for the other service's `/livez`, not its `/readyz`, and not in a circle: services that are ready only when the others are never
 * start. Never for `livez`. For what this service can do without, `critical: false`.
 *
 * @throws TypeError that lists every fault of the options
 */
export function httpCheck(options: HttpOptions): HealthCheck {
  return makeCheck(options, {
    where: 'httpCheck',
    name: 'http',
    dependency: true,
    rules: {
      url: required(mustBe(isHttpUrl, 'a URL with http: or https:')),
      method: oneOf('GET', 'HEAD'),
      headers: mustBe((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object'),
      statuses: aListOf(aWholeNumber(100, 599)),
    },
    crossCheck: ({ headers = {} }) =>
      Object.entries(headers).flatMap(([name, value]) => aString(value, `headers.${name}`)),
    timing: CACHED,
    check: async ({ signal }) => {
      const { url, method = 'GET', headers = {}, statuses } = options;
      const response = await fetch(url, { method, headers: { ...headers }, redirect: 'manual', signal });
      if (statuses === undefined) return response;
      await response.body?.cancel();
      const { status, statusText } = response;
      return statuses.includes(status) || { ok: false, reason: `answered ${status} ${statusText}`.trimEnd() };
    },
  });
}

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' && !(value instanceof URL)) return false;
  return URL.canParse(String(value)) && /^https?:$/.test(new URL(value).protocol);
}
