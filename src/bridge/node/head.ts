import type { ApiResponse } from '../../http/response.js';
import { isBodiless } from '../../http/response-shape.js';
import type { NodeOutgoing } from './message.js';
import { http2Stream } from './message.js';

/** Headers that belong to a connection of HTTP/1; Node refuses to send them over HTTP/2. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'];

/** Writes status and headers. `length` is the Content-Length; without one the handler's own stands, if it gave any. */
export function writeHead(res: NodeOutgoing, response: ApiResponse, length: number | undefined): void {
  // Not spread: V8 takes 1 µs to add a property to what a spread made, 4 % of a get.
  const headers = Object.assign({}, response.headers) as Record<string, string | number | string[]>;
  if (isBodiless(response.status)) delete headers['content-length'];
  else if (length !== undefined) headers['content-length'] = length;
  if (http2Stream(res) !== undefined) for (const name of HOP_BY_HOP) delete headers[name];
  res.writeHead(response.status, headers);
}
