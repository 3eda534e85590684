import type { BodyLimits } from '../body/member-limit.js';
import type { StructShape } from '../schema/shape.js';
import { isStatusFailure } from '../status/status-failure.js';
import { envelopeFault, MAGIC, readEnvelope, type TypeNames } from './envelope.js';
import { compiledMessage } from './message.js';
import { countingReader } from './read-fields.js';
import { readMessage } from './read-message.js';

/** An object whose envelope has been read, and its message not yet. */
export interface ProtobufObject extends TypeNames {
  /** The object as it would be in JSON, without `kind` and `apiVersion`, or why the message cannot be read. */
  read(shape: StructShape): { readonly value: Record<string, unknown> } | { readonly error: string };
}

type ReadObject = ProtobufObject | { readonly error: string };

/**
 * Reads the envelope of an object in Kubernetes' protobuf form: `k8s\0` and `runtime.Unknown`. Errors are in
 * Kubernetes' words where there are any.
 *
 * @throws StatusFailure 413 for too many fields; nothing else that a client sends makes it throw
 */
export function readProtobuf(body: Uint8Array, { members }: BodyLimits): ReadObject {
  const fault = envelopeFault(body);
  if (fault !== undefined) return { error: fault };
  const bytes = body.subarray(MAGIC.length);
  return orError<ProtobufObject>(() => {
    const { apiVersion, kind, message } = readEnvelope(countingReader(bytes, members), bytes.length);
    return {
      apiVersion,
      kind,
      read(shape) {
        const type = compiledMessage(shape);
        return orError(() => ({ value: readMessage(countingReader(message, members), type, message.length) }));
      },
    };
  });
}

/** All errors of reading are faults of the body, except a StatusFailure, which is thrown as it is. */
function orError<T>(read: () => T): T | { readonly error: string } {
  try {
    return read();
  } catch (error) {
    if (isStatusFailure(error)) throw error;
    if (error instanceof RangeError) return { error: 'unexpected EOF' };
    const words = error instanceof Error ? error.message : String(error);
    return { error: words.startsWith('proto: ') ? words : `proto: ${words}` };
  }
}
