import type { ApiHandler, ApiRequest, ApiResponse } from '../../index.js';

const HEALTH = /^\/(healthz|livez|readyz)(\/|\?|$)/;
/** The request headers that are passed on: none that identifies the caller. */
const HEADERS = ['accept', 'accept-encoding', 'audit-id', 'user-agent'] as const;

const REFUSED: ApiResponse = {
  status: 403,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  },
  body: `${JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'this port is not encrypted and not on loopback: it serves /healthz, /livez and /readyz only, and takes no credential; use the HTTPS port',
    reason: 'Forbidden',
    details: {},
    code: 403,
  })}\n`,
};

/**
 * The part of a handler that a port without TLS may serve to the network: health, for anonymous callers. Tokens and other
 * credentials are dropped, and bodies are not read.
 */
export function healthOnly(handle: ApiHandler): ApiHandler {
  return (request) => (HEALTH.test(request.url) ? handle(anonymous(request)) : REFUSED);
}

function anonymous(request: ApiRequest): ApiRequest {
  const { method, url, headers = {}, remoteAddress } = request;
  return {
    method,
    url,
    headers: Object.fromEntries(
      HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    ),
    remoteAddress,
    // Made by the bridge only when somebody reads it.
    get signal() {
      return request.signal;
    },
    get aborted() {
      return request.aborted;
    },
  };
}
