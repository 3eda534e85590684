import type { ApiResponse } from '../../http/response.js';
import { chain } from '../../http/promise.js';
import { choose, onlyTypes, PLAIN, type Conversion, type NegotiationInputs } from './choice.js';
import { OBJECT_MEDIA_TYPES } from './media-types.js';
import { respond } from './respond.js';
import type { Serializer } from './serializer.js';

/** A document in one of the formats, without conversions: discovery. */
export interface DocumentRepresentation {
  document(json: Uint8Array): ApiResponse | Promise<ApiResponse>;
}

/**
 * Chooses the form of a document.
 *
 * @throws StatusFailure 406
 */
export function negotiateDocument(inputs: NegotiationInputs): DocumentRepresentation {
  const choice = choose(inputs, PLAIN);
  if (!choice) throw onlyTypes(OBJECT_MEDIA_TYPES);
  return documentWith(choice.serializer, inputs);
}

/**
 * Chooses the form of a converted document of exactly one kind, whatever else Accept prefers: aggregated discovery.
 *
 * @returns undefined when Accept does not name that kind in a format that can be written
 */
export function negotiateConverted(inputs: NegotiationInputs, wanted: Conversion): DocumentRepresentation | undefined {
  const { kind, group, version } = wanted;
  const choice = choose(inputs, {
    allows: (conversion) => conversion?.kind === kind && conversion.group === group && conversion.version === version,
    allowsServerVersion: () => false,
  });
  if (!choice) return undefined;
  const type = `${choice.serializer.mediaType};g=${group};v=${version};as=${kind}`;
  const { document } = documentWith(choice.serializer, inputs);
  const retyped = (response: ApiResponse): ApiResponse => ({
    ...response,
    headers: { ...response.headers, 'content-type': type },
  });
  return { document: (json) => chain(document(json), retyped) };
}

const documentWith = (serializer: Serializer, { acceptEncoding }: NegotiationInputs): DocumentRepresentation => ({
  document: (json) => respond(200, serializer.mediaType, serializer.value(json), acceptEncoding),
});
