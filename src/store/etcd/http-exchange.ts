import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import type { WatchHandle } from './connection.js';
import type { EtcdSettings } from './options.js';

const DEFAULT_PORT = '2379';
const KEEP_ALIVE_MS = 60_000;

/** Receives the response to a request. Nothing is called after `ended` or `failed`. */
export interface ExchangeListener {
  started(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void;
  data(text: string): void;
  ended(): void;
  /** `sent`: some of the request may have left this process. */
  failed(error: Error, sent: boolean): void;
}

export interface HttpConnections {
  /** With a body it is a POST of JSON. */
  send(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: unknown,
    listener: ExchangeListener,
  ): Omit<WatchHandle, 'cancel'> & {
    /** The request fails with this error, and its connection ends. No effect later. */
    cancel(error: Error): void;
  };
  close(): void;
}

/**
 * Opens connections to one member, at most `connections` of them; `null` is no limit. If its name has several addresses,
 * they begin with the one at `first`, and with the next when a request is cancelled: the system of a frozen process
 * still accepts connections.
 */
export type OpenHttp = (
  endpoint: string,
  settings: EtcdSettings,
  connections: number | null,
  first?: number,
) => HttpConnections;

export async function loadHttp(): Promise<OpenHttp> {
  // By its file, because Bun has a module `undici` of its own, whose pools send nothing.
  const [{ Pool }, { default: dns }] = await Promise.all([import('undici/index.js'), import('node:dns')]);
  return (endpoint, { tls, requestTimeoutMs, clock }, connections, first = 0) => {
    let skipped = first;
    let skippedAt = -Infinity;
    /** Requests to one address fail together, and count once. */
    const skipAddress = (): void => {
      const now = clock.monotonic();
      if (now - skippedAt < requestTimeoutMs) return;
      skippedAt = now;
      skipped += 1;
    };
    const lookup: LookupFunction = (name, options, callback) =>
      dns.lookup(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const at = skipped % found.length;
        const [one, ...others] = [...found.slice(at), ...found.slice(0, at)] as [LookupAddress, ...LookupAddress[]];
        if (options.all === true) callback(null, [one, ...others]);
        else callback(null, one.address, one.family);
      });
    const url = new URL(endpoint);
    if (url.port === '') url.port = DEFAULT_PORT;
    const { ca, cert, key, serverName } = tls ?? {};
    const pool = new Pool(url.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Deadlines are up to the caller.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        timeout: requestTimeoutMs,
        lookup,
        // One by one: they may be getters, or inherited.
        ...({ ca, cert, key } as object),
        // As kubectl and curl do: an intermediate or the server's own certificate is trusted without its root.
        ...(ca !== undefined && { allowPartialTrustChain: true }),
        ...(serverName !== undefined && { servername: serverName }),
      },
    });
    return {
      send(path, headers, body, listener) {
        const decoder = new TextDecoder();
        let controller: Dispatcher.DispatchController | undefined;
        let over: Error | boolean = false;
        const fail = (error: Error): void => {
          if (over !== false) return;
          over = error;
          listener.failed(error, controller !== undefined);
        };
        pool.dispatch(
          {
            path,
            method: body === undefined ? 'GET' : 'POST',
            headers: { 'content-type': 'application/json', 'user-agent': 'kube-vitals', ...headers },
            body: body === undefined ? null : JSON.stringify(body),
          },
          {
            onRequestStart(started) {
              if (over instanceof Error) started.abort(over);
              else controller = started;
            },
            onResponseStart: (_controller, status, received) => listener.started(status, received),
            onResponseData: (_controller, chunk) => listener.data(decoder.decode(chunk, { stream: true })),
            onResponseEnd() {
              over = true;
              listener.ended();
            },
            onResponseError: (_controller, error) => fail(error),
          },
        );
        return {
          cancel(error) {
            if (over === false) skipAddress();
            if (controller === undefined) fail(error);
            else if (over === false) controller.abort(error);
          },
          pause: () => controller?.pause(),
          resume: () => controller?.resume(),
        };
      },
      close: () => void pool.destroy().catch(() => undefined),
    };
  };
}
