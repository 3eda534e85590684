import type { ApiResponse } from '../../http/response.js';
import { choose, onlyTypes, PLAIN, type NegotiationInputs } from './choice.js';
import { OBJECT_MEDIA_TYPES } from './media-types.js';
import { respond } from './respond.js';

/** A document in one of the formats, without conversions: discovery. */
export interface DocumentRepresentation {
  document(json: Uint8Array): ApiResponse | Promise<ApiResponse>;
}

/**
 * Chooses the form of a document.
 *
 * @throws StatusError 406
 */
export function negotiateDocument(inputs: NegotiationInputs): DocumentRepresentation {
  const choice = choose(inputs, PLAIN);
  if (!choice) throw onlyTypes(OBJECT_MEDIA_TYPES);
  const { serializer } = choice;
  return { document: (json) => respond(200, serializer.mediaType, serializer.value(json), inputs.acceptEncoding) };
}

/**
 * Chooses the form of a converted document of exactly one kind, whatever else Accept prefers: aggregated discovery.
 *
 * @returns undefined when Accept does not name that kind in a format that can be written
 */
export function negotiateConverted(
  inputs: NegotiationInputs,
  wanted: { readonly kind: string; readonly group: string; readonly version: string },
): DocumentRepresentation | undefined {
  const choice = choose(inputs, {
    allows: (conversion) =>
      conversion?.kind === wanted.kind && conversion.group === wanted.group && conversion.version === wanted.version,
    allowsServerVersion: () => false,
  });
  if (!choice) return undefined;
  const { serializer } = choice;
  const type = `${serializer.mediaType};g=${wanted.group};v=${wanted.version};as=${wanted.kind}`;
  const retyped = (response: ApiResponse): ApiResponse => ({
    ...response,
    headers: { ...response.headers, 'content-type': type },
  });
  return {
    document(json) {
      const response = respond(200, serializer.mediaType, serializer.value(json), inputs.acceptEncoding);
      return 'then' in response ? response.then(retyped) : retyped(response);
    },
  };
}
