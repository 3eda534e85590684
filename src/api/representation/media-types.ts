import { jsonSerializer } from './json.js';
import { protobufSerializer } from './protobuf.js';
import type { Serializer } from './serializer.js';
import { yamlSerializer } from './yaml.js';

/** The formats that can be written, the default first. */
export const SERIALIZERS: readonly Serializer[] = [jsonSerializer, yamlSerializer, protobufSerializer];

/**
 * What answers with one object declare, in Kubernetes' words and order. Refusals name all of them, because clients
 * compare the text; a type that is declared and not written leads to the next clause of an Accept header, or to 406.
 */
export const OBJECT_MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];

/** What watches are written in. */
export const STREAM_MEDIA_TYPES: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/** What routes declare that answer a list or a watch. */
export const COLLECTION_MEDIA_TYPES: readonly string[] = [...OBJECT_MEDIA_TYPES, ...STREAM_MEDIA_TYPES];
