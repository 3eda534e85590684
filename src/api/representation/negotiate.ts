import { acceptsExactly } from '../../http/accept.js';
import type { Status } from '../../model/status.js';
import { notAcceptable } from '../status/failures.js';
import type { StatusFailure } from '../status/status-failure.js';
import { choose, onlyTypes, type Conversion, type NegotiationInputs, type Restrictions, PLAIN } from './choice.js';
import type { AnswerShape, FrameEncoder, Representation, ResourceView, StatusRepresentation } from './contract.js';
import { OBJECT_MEDIA_TYPES, STREAM_MEDIA_TYPES } from './media-types.js';
import { jsonBytes } from '../../json/json-source.js';
import { metadataListWatch, metadataOnly, wholeObjects, type Transform } from './transform.js';
import { respond, JSON_HEADERS } from './respond.js';
import type { FrameWriter, Serializer } from './serializer.js';
import { asTable, readIncludeObject } from './table.js';
import { indented } from './json.js';

export { negotiationInputs, type NegotiationInputs } from './choice.js';

const encoder = new TextEncoder();

/**
 * The first of two stages: does Accept name one of the types a route declares? Types are compared with their case,
 * `application/*` matches nothing.
 *
 * @returns the 406 to answer, or undefined
 */
export function routerAccepts(accept: string | undefined, produces: readonly string[]): StatusFailure | undefined {
  if (acceptsExactly(accept, produces)) return undefined;
  return notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}`, {});
}

/** Objects and lists: Tables and metadata alone. */
const CONVERTED: Restrictions = {
  allows(conversion, { tables }) {
    if (!conversion) return true;
    const { kind, group, version } = conversion;
    if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return false;
    return kind === 'Table' ? tables : kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList';
  },
  allowsServerVersion: (version) => version === 'v1',
};

/** The transform a conversion asks for; wrong pairings of kind and answer are a 406. */
function transformFor(
  conversion: Conversion | undefined,
  inputs: NegotiationInputs,
  view: ResourceView,
  shape: AnswerShape,
  now: () => number,
): Transform {
  if (!conversion) return wholeObjects(view);
  const apiVersion = `${conversion.group}/${conversion.version}`;
  switch (conversion.kind) {
    case 'Table':
      return asTable({ view, apiVersion, includeObject: readIncludeObject(inputs.includeObject), now });
    case 'PartialObjectMetadataList':
      if (shape === 'watch') return metadataListWatch(apiVersion);
      if (shape === 'list') return metadataOnly(apiVersion);
      throw notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (*core.${view.kind})`,
      );
    default:
      if (shape !== 'list') return metadataOnly(apiVersion);
      throw notAcceptable(
        `you requested PartialObjectMetadata, but the requested object is a list (*core.${view.listKind})`,
      );
  }
}

/**
 * The second of two stages: chooses how an answer is written, before anything is done, so that a refused form changes
 * nothing.
 *
 * @param now microseconds since the epoch, for the ages in Tables
 * @throws StatusFailure 406 when no clause of Accept can be served or the conversion does not fit the answer; 400 for a bad
 *   `includeObject`
 */
export function negotiate(
  inputs: NegotiationInputs,
  view: ResourceView,
  shape: AnswerShape,
  now: () => number,
): Representation {
  const choice = choose(inputs, CONVERTED);
  if (!choice) throw onlyTypes(OBJECT_MEDIA_TYPES);
  const { serializer, conversion } = choice;
  const streamType = serializer.streamType;
  if (shape === 'watch' && streamType === undefined) throw onlyTypes(STREAM_MEDIA_TYPES);
  const transform = transformFor(conversion, inputs, view, shape, now);
  const failures = errorRepresentation(inputs);
  return {
    streamType: streamType ?? '',
    joinsItems: serializer.joinsItems === true && !conversion,
    gathersItems: serializer.gathersItems === true,
    object(json, status) {
      const form = transform.object;
      const written = serializer.value(form ? form(jsonBytes(json)) : json, view);
      return respond(status, serializer.mediaType, written, inputs.acceptEncoding);
    },
    list(meta, batches, memory) {
      const written = serializer.list(transform.list(meta), batches, view, memory);
      return respond(200, serializer.mediaType, written, inputs.acceptEncoding);
    },
    frames() {
      const writer = serializer.frames(view);
      const encoderOf = (write: FrameWriter): FrameEncoder => createFrames(serializer, transform, write);
      return 'then' in writer ? writer.then(encoderOf) : encoderOf(writer);
    },
    status(status: Status, code) {
      if (code >= 400) return failures.status(status, code);
      return respond(
        code,
        serializer.mediaType,
        serializer.value(encoder.encode(JSON.stringify(status))),
        inputs.acceptEncoding,
      );
    },
  };
}

function createFrames(serializer: Serializer, transform: Transform, write: FrameWriter): FrameEncoder {
  const change = transform.stream();
  return {
    cacheKey: transform.streamKey === undefined ? undefined : `${serializer.mediaType} ${transform.streamKey}`,
    encode(type, json) {
      const object = type === 'ERROR' ? json : change(type, json);
      return object && write(type, object);
    },
  };
}

/**
 * The form of a failure. Never throws: where Accept names nothing that can be written, or only conversions, the Status is
 * indented JSON without a newline at the end.
 */
export function errorRepresentation(inputs: NegotiationInputs): StatusRepresentation {
  return {
    status(status, code) {
      const choice = choose(inputs, PLAIN);
      const json = encoder.encode(JSON.stringify(status));
      if (!choice) return { status: code, headers: JSON_HEADERS, body: indented(json) };
      return respond(code, choice.serializer.mediaType, choice.serializer.value(json), inputs.acceptEncoding);
    },
  };
}
