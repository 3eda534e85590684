import type { ApiHandler, ApiRequest, ApiResponse } from '../../index.js';
import { failureStatus } from '../../responses/failure-status.js';
import { NOSNIFF, NOT_CACHED, statusResponse } from '../../responses/fixed-responses.js';

const HEALTH = /^\/(healthz|livez|readyz)(\/|\?|$)/;
/** The request headers that are passed on; none identifies the caller. */
const HEADERS = ['accept', 'accept-encoding', 'audit-id', 'user-agent'] as const;

const REFUSED: ApiResponse = statusResponse(
  failureStatus(
    403,
    'Forbidden',
    'this port is not encrypted and not on loopback: it serves /healthz, /livez and /readyz only, and accepts no credential; use the HTTPS port',
    {},
  ),
  { ...NOT_CACHED, ...NOSNIFF },
);

/** Serves only what a port without TLS may serve to the network: health, without credentials and request bodies. */
export function healthOnly(handle: ApiHandler): ApiHandler {
  return (request) => (HEALTH.test(request.url) ? handle(anonymous(request)) : REFUSED);
}

function anonymous(request: ApiRequest): ApiRequest {
  const { method, url, headers = {}, remoteAddress } = request;
  return {
    ...{ method, url, remoteAddress },
    headers: Object.fromEntries(HEADERS.map((name) => [name, headers[name]])),
    // The bridge creates it when it is first read.
    get signal() {
      return request.signal;
    },
    get aborted() {
      return request.aborted;
    },
  };
}
