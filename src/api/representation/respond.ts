import { compressed } from '../../http/compression.js';
import type { ApiResponse, ResponseHeaders } from '../../http/response.js';
import { SERIALIZERS } from './media-types.js';
import type { SerializedBody } from './serializer.js';

/** Headers of answers, one frozen record a type, so that a bridge may remember what it made of them. */
const HEADERS: ReadonlyMap<string, ResponseHeaders> = new Map(
  SERIALIZERS.map(({ mediaType }) => [mediaType, Object.freeze({ 'content-type': mediaType })]),
);
/** Headers of plain JSON. */
export const JSON_HEADERS: ResponseHeaders = Object.freeze({ 'content-type': 'application/json' });

/** The answer around what a serializer made, compressed where the client takes that and the size is worth it. */
export function respond(
  status: number,
  mediaType: string,
  body: SerializedBody | Promise<SerializedBody>,
  acceptEncoding: string | undefined,
): ApiResponse | Promise<ApiResponse> {
  if ('then' in body) return body.then((ready) => respond(status, mediaType, ready, acceptEncoding));
  const headers = HEADERS.get(mediaType) ?? JSON_HEADERS;
  // Lent bytes are never more than a chunk, and that is never compressed.
  if ('release' in body) return { status, headers, body: body.bytes, release: body.release };
  return compressed({ status, headers, body }, acceptEncoding);
}
