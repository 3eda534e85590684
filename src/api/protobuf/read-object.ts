import { messageOf } from '../../model/error-message.js';
import type { BodyLimits } from '../body/parse-body.js';
import { scalar } from '../schema/facts.js';
import { lazy } from '../schema/lazy.js';
import type { StructShape } from '../schema/shape.js';
import { isStatusFailure } from '../status/status-failure.js';
import { message } from './meta-messages.js';
import { readMessage } from './read-message.js';
import { countingReader, DELIMITED, MAGIC, messageEnd, readFields, requireWireType } from './wire.js';

/** The type of a message, which the message itself does not contain. */
interface TypeNames {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object whose envelope has been read, and its message not yet. */
export interface ProtobufObject extends TypeNames {
  /** The object as it would be in JSON, without `kind` and `apiVersion`, or why the message cannot be read. */
  read(shape: StructShape): { readonly value: Record<string, unknown> } | { readonly error: string };
}

type ReadObject = ProtobufObject | { readonly error: string };

/**
 * Reads the envelope of an object in Kubernetes' protobuf form: `k8s\0` and `runtime.Unknown`. Errors are in
 * Kubernetes' words where there are any. @throws StatusFailure 413 for too many fields, and nothing else
 */
export function readProtobuf(body: Uint8Array, { members }: BodyLimits): ReadObject {
  const fault = envelopeFault(body);
  if (fault !== undefined) return { error: fault };
  const bytes = body.subarray(MAGIC.length);
  return orError<ProtobufObject>(() => {
    const { apiVersion, kind, raw } = readEnvelope(bytes, members);
    return {
      apiVersion,
      kind,
      read: (shape) => orError(() => ({ value: readMessage(countingReader(raw, members), shape, raw.length) })),
    };
  });
}

/** Why a body cannot be an envelope, in Kubernetes' words; undefined when it may be one. */
function envelopeFault(body: Uint8Array): string | undefined {
  if (body.length === 0) return 'empty data';
  if (MAGIC.some((byte, at) => body[at] !== byte)) {
    return `provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`;
  }
  return body.length === MAGIC.length ? 'empty body' : undefined;
}

const typeMeta = lazy(() => message('TypeMeta', { apiVersion: scalar('string'), kind: scalar('string') }));

/** Reads an envelope after its {@link MAGIC}. @throws Error where it is malformed */
function readEnvelope(bytes: Uint8Array, maxFields: number): TypeNames & { readonly raw: Uint8Array } {
  const reader = countingReader(bytes, maxFields);
  const names: Partial<TypeNames> = {};
  let raw: Uint8Array = new Uint8Array(0);
  readFields(reader, 'Unknown', bytes.length, (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    requireWireType(wireType, DELIMITED, number === 1 ? 'TypeMeta' : 'Raw');
    if (number === 1) readMessage(reader, typeMeta(), messageEnd(reader, bytes.length), names);
    else raw = reader.bytes();
    return true;
  });
  return { apiVersion: names.apiVersion ?? '', kind: names.kind ?? '', raw };
}

/** All errors of reading are faults of the body, except a StatusFailure, which is thrown as it is. */
function orError<T>(read: () => T): T | { readonly error: string } {
  try {
    return read();
  } catch (error) {
    if (isStatusFailure(error)) throw error;
    if (error instanceof RangeError) return { error: 'unexpected EOF' };
    const words = messageOf(error);
    return { error: words.startsWith('proto: ') ? words : `proto: ${words}` };
  }
}
