import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { basic } from './credentials.js';
import { http2Connections } from './http2-connection.js';
import type { ConnectionSettings, HttpTransportOptions, TlsOptions } from './options.js';

export interface ConnectionOptions extends ConnectionSettings, Pick<HttpTransportOptions, 'server' | 'proxyUrl'> {}

/** What undici makes a pool with. */
interface Connecting {
  readonly connect: buildConnector.connector;
}

/** Makes the connections of a transport; the HTTP client is loaded when it is first needed. */
export function createDispatchers(options: ConnectionOptions & { maxConnections: number; maxHeaderBytes: number }) {
  const { origin } = new URL(options.server);
  const all = new Set<Dispatcher>();
  let current: { readonly key: string; readonly dispatcher: Promise<Dispatcher> } | undefined;

  const make = async (tls: TlsOptions): Promise<Dispatcher> => {
    // By its file, because Bun has a module `undici` of its own, whose pools send nothing.
    const { buildConnector, Client, errors, Pool, ProxyAgent } = await import('undici/index.js');
    const { proxyUrl, http2: allowH2 = false, maxConnections } = options;
    const { connectTimeoutMs: timeout = 10_000, keepAliveMs = 4_000 } = options;
    const { ca, cert, key, serverName, insecureSkipTlsVerify } = tls;
    const connect = {
      timeout,
      allowH2,
      rejectUnauthorized: !insecureSkipTlsVerify,
      // As kubectl and curl do: an intermediate or the server's own certificate is trusted without its root.
      ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
      ...(cert !== undefined && { cert, key }),
      ...(serverName !== undefined && { servername: serverName }),
    };
    const shared = {
      connections: maxConnections,
      allowH2,
      // One request at a time on each connection, so that a watch delays nothing. undici applies it to HTTP/2 as well.
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      // Servers may announce less than this, not more.
      keepAliveMaxTimeout: keepAliveMs,
      // undici refuses headers of exactly this size, too.
      maxHeaderSize: options.maxHeaderBytes + 1,
      // Calls have deadlines, and watches may be silent.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const factory = http2Connections({ Client, errors }, keepAliveMs);
    const dispatcher =
      proxyUrl === undefined
        ? new Pool(origin, {
            ...shared,
            connect: usable(inBackground(buildConnector(connect))),
            ...(allowH2 && { factory }),
          })
        : new ProxyAgent({
            ...shared,
            uri: proxyUrl,
            ...proxyCredentials(proxyUrl),
            requestTls: connect,
            proxyTls: { timeout },
            factory: (to, given: Connecting) =>
              new Pool(to, { ...given, connect: usable(given.connect), ...(allowH2 && { factory }) }),
            clientFactory(uri, given: Connecting) {
              const proxy = new Pool(uri, {
                connect: inBackground(given.connect),
                // Otherwise a CONNECT without a response of the proxy would hold its connection for five minutes.
                headersTimeout: Math.ceil(timeout),
              });
              const ask = proxy.connect.bind(proxy);
              return Object.assign(proxy, {
                connect: (to: Dispatcher.ConnectOptions) => ask(to).then(withoutGreeting, withoutCode),
              });
            },
          });
    all.add(dispatcher);
    return dispatcher;
  };

  const retire = async (making: Promise<Dispatcher>): Promise<void> => {
    const dispatcher = await making;
    await dispatcher.close();
    all.delete(dispatcher);
  };

  return {
    /** Connections with an earlier TLS configuration are closed when their requests have ended. */
    get(tls: TlsOptions): Promise<Dispatcher> {
      const key = JSON.stringify(tls);
      if (current?.key !== key) {
        if (current !== undefined) retire(current.dispatcher).catch(() => undefined);
        current = { key, dispatcher: make(tls) };
        const made = current;
        // undici could not be loaded, for example while too many files were open: the next call tries again.
        made.dispatcher.catch(() => {
          if (current === made) current = undefined;
        });
      }
      return current.dispatcher;
    },
    async destroy(reason: Error): Promise<void> {
      await current?.dispatcher.catch(() => undefined);
      await Promise.all([...all].map((dispatcher) => dispatcher.destroy(reason).catch(() => undefined)));
    },
  };
}

/**
 * A connection that is being made does not keep the process alive, since the calls that wanted it may have ended. The
 * requests that wait for it do.
 */
const inBackground =
  (connect: buildConnector.connector): buildConnector.connector =>
  (to, callback) => {
    // Its type does not say that it returns the socket.
    const socket = connect(to, callback) as unknown as Socket | undefined;
    socket?.unref();
    // Each attempt at one of several addresses has a handle of its own.
    socket?.on('connectionAttempt', () => socket.unref());
  };

/** A connection that has been made keeps the process alive, until undici finds that it is idle. */
const usable =
  (connect: buildConnector.connector): buildConnector.connector =>
  (to, callback) => {
    connect(to, (...result) => {
      result[1]?.ref();
      callback(...result);
    });
  };

/** undici repeats a CONNECT whose connection the proxy closes, at once and for ever, where the error has this code. */
function withoutCode(error: Error & { readonly code?: string }): never {
  throw error.code === 'UND_ERR_SOCKET' ? new Error(error.message, { cause: error }) : error;
}

/** undici replaces a connection on which something comes before the first request, at once and for ever. */
function withoutGreeting(connected: Dispatcher.ConnectData): Dispatcher.ConnectData {
  if (connected.socket.readableLength === 0) return connected;
  connected.socket.destroy();
  throw new Error('the proxy sent something before the first request');
}

/** As kubectl and curl send them: undici leaves them out where the password is empty. */
function proxyCredentials(proxyUrl: string): { readonly token?: string } {
  const { username, password } = new URL(proxyUrl);
  return username || password ? { token: basic(decodeURIComponent(username), decodeURIComponent(password)) } : {};
}
