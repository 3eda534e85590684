import { chain } from '../../http/promise.js';
import { loadedOnce } from '../schema/lazy.js';
import { jsonSerializer } from './json.js';
import type { Serializer, FormatWriter } from './serializer.js';

/** A format whose code is loaded with the first response in it. */
function loaded(load: () => Promise<FormatWriter>): FormatWriter {
  const writer = loadedOnce(load);
  return {
    value: (json, view) => chain(writer(), (format) => format.value(json, view)),
    list: (form, batches, view) => chain(writer(), (format) => format.list(form, batches, view)),
    frames: (view) => chain(writer(), (format) => format.frames(view)),
  };
}

const yamlSerializer: Serializer = {
  mediaType: 'application/yaml',
  headers: Object.freeze({ 'content-type': 'application/yaml' }),
  streamType: undefined,
  tables: true,
  pretty: undefined,
  ...loaded(async () => (await import('./yaml.js')).yamlWriter),
};

const protobufSerializer: Serializer = {
  mediaType: 'application/vnd.kubernetes.protobuf',
  headers: Object.freeze({ 'content-type': 'application/vnd.kubernetes.protobuf' }),
  streamType: 'application/vnd.kubernetes.protobuf;stream=watch',
  tables: false,
  pretty: undefined,
  gathersItems: true,
  ...loaded(async () => (await import('./protobuf.js')).protobufWriter),
};

export const SERIALIZERS: readonly Serializer[] = [jsonSerializer, yamlSerializer, protobufSerializer];

/** The media types of responses with one object, in Kubernetes' order, as refusals name them. */
export const OBJECT_MEDIA_TYPES: readonly string[] = SERIALIZERS.map(({ mediaType }) => mediaType);

export const STREAM_MEDIA_TYPES: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

export const COLLECTION_MEDIA_TYPES: readonly string[] = [...OBJECT_MEDIA_TYPES, ...STREAM_MEDIA_TYPES];
