import type { Dispatcher } from 'undici';
import { systemClock } from '../../../clock/clock.js';
import { untilAborted } from '../../../clock/abortable.js';
import { bodyBytes } from '../../../http/body.js';
import type { ApiRequest } from '../../../http/request.js';
import { isStream, releaseSource, type ApiResponse } from '../../../http/response.js';
import { isConnectionError, transportClosed } from '../../contract/errors.js';
import type { ConnectedTransport } from '../../contract/transport.js';
import { beginWait } from '../../contract/waits.js';
import { createConnectionLimit } from './connection-limit.js';
import { createCredentials, impersonationHeaders } from './credentials.js';
import { createDispatchers, type ConnectionOptions } from './dispatchers.js';
import { exchange } from './exchange.js';
import { checkHttpTransportOptions, type HttpTransportOptions, type TlsOptions } from './options.js';
import { constant, type Source } from './sources.js';

/**
 * Carries requests to a server over HTTP/1.1, or HTTP/2 where `http2` allows it. Connections are made when they are
 * needed, kept for the next request, and do not keep the process alive while they are idle. Redirects are not followed,
 * compressed responses are not requested, and no error contains a secret.
 *
 * @throws TypeError that lists every fault in the options
 */
export function httpTransport(options: HttpTransportOptions): ConnectedTransport {
  checkHttpTransportOptions(options);
  return createSender({
    ...options,
    headers: { ...options.headers, ...impersonationHeaders(options.impersonate) },
    credentials: createCredentials(options, options.clock ?? systemClock),
    tls: constant(options.tls ?? {}),
  });
}

/** The parts of a transport, some of which change while it runs. */
interface SenderOptions extends ConnectionOptions {
  readonly credentials: Source<string | undefined>;
  readonly tls: Source<TlsOptions>;
  readonly onClose?: (() => void) | undefined;
}

/** No request of a client is larger; servers take at most 3 MiB. */
const MAX_BODY_BYTES = 16_777_216;

export function createSender(options: SenderOptions): ConnectedTransport {
  const { credentials, headers, namespace, maxHeaderBytes = 16_384 } = options;
  const { origin, host, pathname } = new URL(options.server);
  const base = pathname.replace(/\/+$/, '');
  const maxConnections = options.maxConnections ?? 128;
  const dispatchers = createDispatchers({ ...options, maxConnections, maxHeaderBytes });
  const acquire = createConnectionLimit(maxConnections);
  const allInUse =
    `all connections to ${host} are in use, of which each watch holds one: ` +
    `raise maxConnections of the transport (${maxConnections})`;
  const closed = new AbortController();
  let closing: Promise<void> | undefined;

  const identity = (signal: AbortSignal | undefined) =>
    untilAborted(
      untilAborted(Promise.all([credentials.read(signal), options.tls.read(signal)]), signal),
      // A token function may never return.
      closed.signal,
    ).finally(beginWait(signal, `the credentials for ${host} are still awaited`));

  const attempt = async (
    request: ApiRequest,
    body: string | Uint8Array | undefined,
    authorization: string | undefined,
    tls: TlsOptions,
  ): Promise<ApiResponse> => {
    const release = await acquire(request.signal).finally(beginWait(request.signal, allInUse));
    let dispatcher: Dispatcher;
    try {
      dispatcher = await dispatchers.get(tls).finally(beginWait(request.signal, `${host} is not reached yet`));
      if (closing !== undefined) throw transportClosed();
      if (request.signal?.aborted === true) throw request.signal.reason;
    } catch (error) {
      release();
      throw error;
    }
    const sent = { ...headers, ...request.headers, ...(authorization !== undefined && { authorization }) };
    return exchange(
      dispatcher,
      {
        origin,
        method: request.method,
        path: base + request.url,
        headers: sent as Record<string, string | string[]>,
        body: body ?? null,
        ...(tls.serverName !== undefined && { servername: tls.serverName }),
      },
      { host, maxHeaderBytes, signal: request.signal, onEnd: release },
    ).catch((error: unknown) => {
      if (isConnectionError(error) && !error.sent) options.tls.expire();
      throw error;
    });
  };

  const handle = async (request: ApiRequest): Promise<ApiResponse> => {
    if (closing !== undefined) throw transportClosed();
    const { signal } = request;
    const content = await request.body?.(MAX_BODY_BYTES);
    const body = typeof content === 'string' || content === undefined ? content : bodyBytes(content, MAX_BODY_BYTES);
    const first = await identity(signal);
    const [authorization, tls] = first;
    const response = await attempt(request, body, ...first);
    if (response.status !== 401) return response;
    // Credentials expire. The refused request was not carried out: it is sent once more with new ones.
    credentials.expire(authorization);
    options.tls.expire();
    const renewed = await identity(signal).catch((): typeof first => first);
    if (signal?.aborted) throw signal.reason;
    if (renewed[0] === authorization && renewed[1].cert === tls.cert) return response;
    if (isStream(response.body)) releaseSource(response.body);
    return attempt(request, body, ...renewed);
  };

  return {
    handle,
    server: options.server,
    namespace,
    close() {
      if (closing === undefined) {
        closing = dispatchers.destroy(transportClosed());
        options.onClose?.();
        closed.abort(transportClosed());
      }
      return closing;
    },
  };
}
