import { bodyBytes } from '../../../http/body.js';
import type { ApiRequest } from '../../../http/request.js';
import { isStream, releaseSource, type ApiResponse } from '../../../http/response.js';
import { untilAborted } from '../../../clock/abortable.js';
import { connectionError, isConnectionError } from '../../contract/errors.js';
import type { ConnectedTransport } from '../../contract/transport.js';
import type { Credentials } from './credentials.js';
import { createDispatchers, type ConnectionOptions } from './dispatchers.js';
import { exchange } from './exchange.js';
import type { TlsSource } from './tls-files.js';

/** A transport in parts, some of which change while it runs. */
export interface SenderOptions extends ConnectionOptions {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly namespace: string | undefined;
  readonly credentials: Credentials;
  /** The TLS configuration of connections that are made now. */
  readonly tls: TlsSource;
  /** Ends what else belongs to the transport. */
  readonly onClose?: (() => void) | undefined;
}

/** No request of a client is larger; servers take at most 3 MiB. */
const MAX_BODY_BYTES = 16_777_216;

/** Sends requests to a server over HTTP. */
export function createSender(options: SenderOptions): ConnectedTransport {
  const { credentials, headers, namespace } = options;
  const { origin, host, pathname } = new URL(options.server);
  const base = pathname.replace(/\/+$/, '');
  const dispatchers = createDispatchers(options);
  let closing: Promise<void> | undefined;

  const attempt = async (
    request: ApiRequest,
    body: string | Uint8Array | undefined,
    authorization: string | undefined,
  ): Promise<ApiResponse> => {
    const tls = await untilAborted(options.tls.read(request.signal), request.signal);
    const dispatcher = await dispatchers.get(tls);
    if (closing !== undefined) throw isClosed();
    return exchange(dispatcher, {
      origin,
      host,
      method: request.method,
      path: base + request.url,
      headers: {
        ...headers,
        ...(request.headers as Readonly<Record<string, string | readonly string[]>>),
        ...(authorization !== undefined && { authorization }),
      },
      body,
      servername: tls.serverName,
      signal: request.signal,
    }).catch((error: unknown) => {
      if (isConnectionError(error) && !error.sent) options.tls.expire();
      throw error;
    });
  };

  const handle = async (request: ApiRequest): Promise<ApiResponse> => {
    if (closing !== undefined) throw isClosed();
    const { signal } = request;
    const content = await request.body?.(MAX_BODY_BYTES);
    const body = typeof content === 'string' || content === undefined ? content : bodyBytes(content, MAX_BODY_BYTES);
    const authorization = await untilAborted(credentials.authorization(signal), signal);
    const response = await attempt(request, body, authorization);
    if (response.status !== 401) return response;
    // Credentials expire. A refused request was not carried out, so that it can be sent once more with new ones.
    credentials.expire(authorization);
    const renewed = await untilAborted(credentials.authorization(signal), signal).catch(() => authorization);
    if (signal?.aborted) throw signal.reason;
    if (renewed === authorization) return response;
    if (isStream(response.body)) releaseSource(response.body);
    return attempt(request, body, renewed);
  };

  return {
    handle,
    namespace,
    close() {
      if (closing === undefined) options.onClose?.();
      return (closing ??= dispatchers.destroy(isClosed()));
    },
  };
}

const isClosed = (): Error => connectionError('the transport is closed', false);
