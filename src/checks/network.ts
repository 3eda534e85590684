import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HealthCheck } from '../health/contract.js';
import { httpUrl } from '../options/http-url.js';
import { aListOf, aNonEmptyString, aString, aWholeNumber, mustBe, oneOf, required } from '../options/rules.js';
import { makeCheck, type CommonOptions } from './make-check.js';

/** Limits the load that frequent probes cause on the checked server. */
const CACHED = { cacheMs: 1_000 };

/** Options of {@link tcpCheck}. */
export type TcpOptions = CommonOptions & {
  /** The host name or address to connect to. */
  readonly host: string;
  /** From 1 to 65,535. */
  readonly port: number;
};

/**
 * Fails while no TCP connection can be established. The connection is closed at once.
 *
 * Prefer the protocol's own client if there is one: an open port does not show that the service behind it works, and a
 * server may log every connection that sends nothing. Do not put it into `livez`, and do not use it for the service's
 * own port.
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

/** Waits until a connection is established, calls `use`, and closes the connection. */
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
  /** The name to resolve. */
  readonly hostname: string;
};

/**
 * Fails while a name has no address, as `getaddrinfo` of the system resolves it, `/etc/hosts` included.
 *
 * A check of the service behind the name is more useful; use this one in addition, with `critical: false`, to
 * distinguish the two faults. Do not put it into `livez`. A resolver that hangs blocks a thread of libuv's pool, which
 * has four by default.
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
  /** The URL, with `http:` or `https:`. Without credentials: send them as `headers`. */
  readonly url: string | URL;
  /** Default: `GET`. */
  readonly method?: 'GET' | 'HEAD' | undefined;
  /** Headers of the request. Default: only those that `fetch` sets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The status codes that pass. Default: 200 to 399. Redirects are not followed. */
  readonly statuses?: readonly number[] | undefined;
};

/**
 * Fails while a request for a URL gets no response, or one with a status that does not pass:
 * `answered 503 Service Unavailable`. It uses `fetch`, which keeps connections open. The body is not read.
 *
 * Request the other service's `/livez`, not its `/readyz`, and avoid cycles: services that wait for each other to be
 * ready never start. Do not put it into `livez`. Set `critical: false` for a service that is not essential.
 *
 * @throws TypeError that lists every fault of the options
 */
export function httpCheck(options: HttpOptions): HealthCheck {
  return makeCheck(options, {
    where: 'httpCheck',
    name: 'http',
    dependency: true,
    rules: {
      url: required(
        mustBe(isHttpUrl, 'a URL with http: or https:, without credentials (set the header authorization)'),
      ),
      method: oneOf('GET', 'HEAD'),
      headers: mustBe((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object'),
      statuses: aListOf(aWholeNumber(100, 599)),
    },
    crossCheck: ({ headers }) =>
      Object.entries(headers ?? {}).flatMap(([name, value]) => [
        ...aString(value, `headers.${name}`),
        !isHeader(name, value) && `headers.${name} must be a header that fetch can send`,
      ]),
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
  const url = httpUrl(value instanceof URL ? value.href : value);
  // `fetch` refuses credentials, with a text that contains them.
  return url !== undefined && url.username + url.password === '';
}

/** `fetch` would refuse it at every run, with a text that may contain a secret. */
function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}
