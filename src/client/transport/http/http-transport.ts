import { systemClock } from '../../../clock/clock.js';
import type { ConnectedTransport } from '../../contract/transport.js';
import { createCredentials, impersonationHeaders } from './credentials.js';
import { checkHttpTransportOptions, type HttpTransportOptions } from './options.js';
import { createSender } from './sender.js';

/**
 * Carries requests to a server over HTTP/1.1, or HTTP/2 where `http2` allows it. Connections are made when they are needed, kept
 * for the next request, and do not keep the process alive while they are idle. Redirects are not followed, compressed answers are
 * not asked for, and no error repeats a secret.
 *
 * @throws TypeError that lists every fault in the options
 */
export function httpTransport(options: HttpTransportOptions): ConnectedTransport {
  checkHttpTransportOptions(options);
  const { namespace, tls = {} } = options;
  return createSender({
    ...options,
    headers: { ...options.headers, ...impersonationHeaders(options.impersonate) },
    namespace,
    credentials: createCredentials(options, options.clock ?? systemClock),
    tls: { read: () => Promise.resolve(tls), expire: () => undefined },
  });
}
