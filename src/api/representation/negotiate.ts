import { acceptsExactly } from '../../http/accept.js';
import { chain } from '../../http/promise.js';
import { groupVersion, type TypeMeta } from '../decode/type-meta.js';
import { notAcceptable } from '../status/failures.js';
import type { StatusFailure } from '../status/status-failure.js';
import { choose, onlyTypes, type Allows, type NegotiationInputs } from './choice.js';
import type { ResponseKind, FrameEncoder, Representation, ResourceView } from './contract.js';
import { OBJECT_MEDIA_TYPES, STREAM_MEDIA_TYPES } from './media-types.js';
import { jsonBytes } from '../../json/json-source.js';
import { encodeUtf8 } from '../../json/utf8.js';
import { metadataListWatch, metadataOnly, wholeObjects, type Transform } from './transform.js';
import { respond } from './respond.js';
import type { FrameWriter, Serializer } from './serializer.js';
import { asTable, readIncludeObject } from './table.js';

/** The first stage of negotiation: a 406 if Accept names no type of a route. Here `application/*` matches nothing. */
export function routerAccepts(accept: string | undefined, produces: readonly string[]): StatusFailure | undefined {
  if (acceptsExactly(accept, produces)) return undefined;
  return notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}`, {});
}

const convertible: Allows = (conversion, { tables }) => {
  if (!conversion) return true;
  const { kind, group, version } = conversion;
  if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return false;
  return kind === 'Table' ? tables : kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList';
};

/** The transform that a conversion requests; a kind that does not fit the response is a 406. */
function transformFor(
  conversion: TypeMeta | undefined,
  inputs: NegotiationInputs,
  view: ResourceView,
  responseKind: ResponseKind,
  now: () => number,
): Transform {
  if (!conversion) return wholeObjects(view);
  const apiVersion = groupVersion(conversion);
  switch (conversion.kind) {
    case 'Table':
      return asTable(view, apiVersion, readIncludeObject(inputs.includeObject), now);
    case 'PartialObjectMetadataList':
      if (responseKind === 'watch') return metadataListWatch(apiVersion);
      if (responseKind === 'list') return metadataOnly(apiVersion);
      throw notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (*core.${view.kind})`,
      );
    default:
      if (responseKind !== 'list') return metadataOnly(apiVersion);
      throw notAcceptable(
        `you requested PartialObjectMetadata, but the requested object is a list (*core.${view.listKind})`,
      );
  }
}

/**
 * The second stage of negotiation: chooses how a response is written, before the verb runs, so that a refusal changes
 * nothing. @throws StatusFailure 406 if Accept or its conversion cannot be served; 400 for a bad `includeObject`
 */
export function negotiate(
  inputs: NegotiationInputs,
  view: ResourceView,
  responseKind: ResponseKind,
  now: () => number,
): Representation {
  const choice = choose(inputs, convertible, 'v1');
  if (!choice) throw onlyTypes(OBJECT_MEDIA_TYPES);
  const { serializer, conversion } = choice;
  const streamType = serializer.streamType;
  if (responseKind === 'watch' && streamType === undefined) throw onlyTypes(STREAM_MEDIA_TYPES);
  const transform = transformFor(conversion, inputs, view, responseKind, now);
  return {
    streamType: streamType ?? '',
    joinsItems: serializer.joinsItems === true && !conversion,
    gathersItems: serializer.gathersItems === true,
    object(json, status) {
      const form = transform.object;
      return respond(status, serializer, serializer.value(form ? form(jsonBytes(json)) : json, view), inputs);
    },
    list: (meta, batches, memory) =>
      respond(200, serializer, serializer.list(transform.list(meta), batches, view, memory), inputs),
    frames: () => chain(serializer.frames(view), (write) => createFrames(serializer, transform, write)),
    status: (status) => respond(200, serializer, serializer.value(encodeUtf8(JSON.stringify(status))), inputs),
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
