import { joinBytes } from '../../http/bytes.js';
import { listMetaJson } from './list-form.js';
import { memberBytes } from '../../json/raw-json.js';
import type { Transform } from './transform.js';

const encoder = new TextEncoder();
const EMPTY = encoder.encode('{}');
const END = encoder.encode('}');

/** Makes PartialObjectMetadata objects: kind, apiVersion, and the metadata of an object as it was written. */
export function partialObjectMetadata(apiVersion: string): (json: Uint8Array) => Uint8Array {
  const start = encoder.encode(`{"kind":"PartialObjectMetadata","apiVersion":"${apiVersion}","metadata":`);
  return (json) => joinBytes([start, memberBytes(json, 'metadata') ?? EMPTY, END]);
}

/** `as=PartialObjectMetadata` (objects, watches) and `as=PartialObjectMetadataList` (lists). */
export function metadataOnly(apiVersion: string): Transform {
  const partial = partialObjectMetadata(apiVersion);
  return {
    object: partial,
    list: (meta) => ({
      members: [
        ['kind', '"PartialObjectMetadataList"'],
        ['apiVersion', JSON.stringify(apiVersion)],
        ['metadata', listMetaJson(meta)],
      ],
      itemsName: 'items',
      // Unlike an EventList, whose items are never null.
      empty: 'null',
      item: partial,
    }),
    streamKey: `PartialObjectMetadata.${apiVersion}`,
    stream: () => (_type, json) => partial(json),
  };
}

/**
 * `as=PartialObjectMetadataList` on a watch: accepted, and the stream ends at the first object without a frame, as the
 * original does.
 */
export function metadataListWatch(apiVersion: string): Transform {
  return { ...metadataOnly(apiVersion), streamKey: undefined, stream: () => () => undefined };
}
