import { compressed } from '../../http/compression.js';
import type { ApiResponse } from '../../http/response.js';
import type { Status } from '../../model/status.js';
import type { TypeMeta } from '../decode/type-meta.js';
import { choose, onlyTypes, plainOnly, type NegotiationInputs } from './choice.js';
import { indented, jsonSerializer } from './json.js';
import { OBJECT_MEDIA_TYPES } from './media-types.js';
import type { SerializedBody, Serializer } from './serializer.js';
import { encodeUtf8 } from '../../json/utf8.js';

/** Compresses the body if the client accepts that and the size is worth it. */
export function respond(
  status: number,
  serializer: Serializer,
  body: SerializedBody | Promise<SerializedBody>,
  inputs: NegotiationInputs,
): ApiResponse | Promise<ApiResponse> {
  if ('then' in body) return body.then((ready) => respond(status, serializer, ready, inputs));
  const { headers } = serializer;
  // Lent bytes are never more than a chunk, and that is never compressed.
  if ('release' in body) return { status, headers, body: body.bytes, release: body.release };
  return compressed({ status, headers, body }, inputs.acceptEncoding);
}

/** Never throws: where nothing that Accept names can be written, the Status is indented JSON without a newline. */
export function respondFailure(status: Status, inputs: NegotiationInputs): ApiResponse | Promise<ApiResponse> {
  const code = status.code ?? 500;
  const json = encodeUtf8(JSON.stringify(status));
  const choice = choose(inputs, plainOnly);
  if (!choice) return { status: code, headers: jsonSerializer.headers, body: indented(json) };
  return respond(code, choice.serializer, choice.serializer.value(json), inputs);
}

/** Writes a document in the format that Accept names, or a failure with 406. */
export function respondDocument(json: Uint8Array, inputs: NegotiationInputs): ApiResponse | Promise<ApiResponse> {
  const choice = choose(inputs, plainOnly);
  if (!choice) return respondFailure(onlyTypes(OBJECT_MEDIA_TYPES).status, inputs);
  return respond(200, choice.serializer, choice.serializer.value(json), inputs);
}

/** Chooses the format of a converted document (aggregated discovery); undefined if Accept does not name that kind. */
export function negotiateConverted(inputs: NegotiationInputs, wanted: TypeMeta): WriteDocument | undefined {
  const { kind, group, version } = wanted;
  const choice = choose(
    inputs,
    (conversion) => conversion?.kind === kind && conversion.group === group && conversion.version === version,
  );
  if (!choice) return undefined;
  const { serializer } = choice;
  const type = `${serializer.mediaType};g=${group};v=${version};as=${kind}`;
  return async (json) => {
    const response = await respond(200, serializer, serializer.value(json), inputs);
    return { ...response, headers: { ...response.headers, 'content-type': type } };
  };
}

export type WriteDocument = (json: Uint8Array) => Promise<ApiResponse>;
