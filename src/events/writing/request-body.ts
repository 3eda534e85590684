import { decodeBody } from '../../api/decode/decode-body.js';
import { decodeDeleteOptions } from '../../api/decode/delete-options.js';
import { loadReader, type BodyMediaType } from '../../api/decode/read-document.js';
import { checkDeleteOptions, readDeleteQuery, type DeleteOptions } from '../../api/options/delete-options.js';
import type { WriteOptions } from '../../api/options/write-options.js';
import { badRequest, unknownFormat } from '../../api/status/failures.js';
import { readBody } from '../../http/body.js';
import { chain } from '../../http/promise.js';
import { header } from '../../http/headers.js';
import { parseMediaType } from '../../http/media-type.js';
import { shorten } from '../../json/go-print.js';
import type { Event } from '../../model/event.js';
import { LARGE_BYTES } from '../../limits/response-bytes.js';
import { holdBytes } from '../request/capacity.js';
import { inTurn, type VerbCall } from '../request/call.js';

const BODY_TYPES: readonly BodyMediaType[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];

/** A larger body is decoded in a turn of its own: decoding 8 KiB takes a millisecond at most. */
const LONG_BYTES = 8_192;

/** Returns the media type of the body, by default JSON. Its parameters are ignored. @throws StatusFailure 415 */
export function bodyMediaType(call: VerbCall): BodyMediaType {
  const sent = header(call.request, 'content-type') ?? '';
  if (sent === 'application/json' || sent === '') return 'application/json';
  const type = parseMediaType(sent);
  const known = BODY_TYPES.find((each) => each === type);
  if (!known) throw unknownFormat(BODY_TYPES);
  return known;
}

/**
 * Reads the bytes of the body and continues with them: in turns, because many may arrive in one turn of the event loop.
 * A large one counts until the response is complete: its client may send it slowly.
 *
 * @throws StatusFailure 429 without capacity; BodyError, to which the pipeline responds with 413 or 400
 */
export function withBody<R>(call: VerbCall, next: (bytes: Uint8Array) => R | Promise<R>): R | Promise<R> {
  const { request, life, dependencies } = call;
  const { maxBodyBytes } = dependencies;
  const read = (): Uint8Array | Promise<Uint8Array> => readBody(request, maxBodyBytes, life);
  const length = Number(header(request, 'content-length') ?? NaN);
  // A body of which the length is unknown, such as a chunked one, may take as much as is allowed.
  const bytes = length < maxBodyBytes ? length : maxBodyBytes;
  const body = bytes <= LARGE_BYTES || request.body === undefined ? read() : holdBytes(call, bytes).then(read);
  return chain(body, (found) =>
    // All requests that wait for the same code continue together when it is loaded: their turns begin after that.
    chain(loadReader(header(request, 'content-type') ?? ''), () =>
      inTurn(call, () => next(found), found.byteLength > LONG_BYTES),
    ),
  );
}

/** Decodes the event to its stored form, and adds the warnings of lenient decoding. @throws StatusFailure 400 */
export function readEventBody(
  call: VerbCall,
  bytes: Uint8Array,
  mediaType: BodyMediaType,
  { fieldValidation }: WriteOptions,
): Event | Promise<Event> {
  const { view, otherVersions, decodeCommon: quick } = call.version;
  const { shape, kind, apiVersion } = view;
  const { bodyLimits: limits, fieldTracker } = call.dependencies;
  const managed = fieldTracker.knownEntries;
  const options = { mediaType, shape, kind, apiVersion, otherVersions, fieldValidation, quick, managed, limits };
  return chain(decodeBody(bytes, options), ({ object, apiVersion: sent, warnings }) => {
    call.warnings.push(...warnings);
    if (sent !== apiVersion) {
      throw badRequest(
        `the API version in the data (${shorten(sent)}) does not match the expected API version (${apiVersion})`,
      );
    }
    return call.version.fromWire(object);
  });
}

/** Requires that the namespace in the body is that of the path, or absent, and sets it. @throws StatusFailure 400 */
export function requireNamespace(call: VerbCall, event: Event): void {
  const sent = event.metadata.namespace ?? '';
  if (sent !== '' && sent !== call.scope.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  event.metadata.namespace = call.scope.namespace;
}

/** Requires that the name in an object is that of the path. @throws StatusFailure 400 */
export function requireMatchingName(call: VerbCall, event: Event): void {
  const { name } = call.scope;
  const sent = event.metadata.name ?? '';
  if (sent === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (sent !== name)
    throw badRequest(`the name of the object (${shorten(sent)}) does not match the name on the URL (${name})`);
}

/** Reads the options of a deletion from the body, or from the query without one. @throws StatusFailure 400, 415, 422 */
export async function readDeleteOptions(call: VerbCall): Promise<DeleteOptions> {
  const options = await withBody(call, (bytes) =>
    bytes.length === 0
      ? readDeleteQuery(call.query)
      : decodeDeleteOptions(bytes, bodyMediaType(call), call.dependencies.bodyLimits),
  );
  checkDeleteOptions(options);
  return options;
}
