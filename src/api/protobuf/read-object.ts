import { DEFAULT_BODY_LIMITS, type BodyLimits } from '../body/body-limits.js';
import type { StructShape } from '../schema/shape.js';
import { isStatusError } from '../status/status-error.js';
import { envelopeFault, MAGIC, readEnvelope, type Envelope, type TypeNames } from './envelope.js';
import { messageOf } from './message.js';
import { countingReader } from './read-fields.js';
import { readMessage } from './read-message.js';
import { wireLibrary } from './wire.js';

/** An object as it came: what it says it is, and what it holds, once it is known what that should be. */
export interface ProtobufObject extends TypeNames {
  /** The object as it would be in JSON, without `kind` and `apiVersion`, or why the message cannot be read. */
  read(shape: StructShape): { readonly value: Record<string, unknown> } | { readonly error: string };
}

/**
 * Reads the envelope of an object in Kubernetes' protobuf form (`k8s\0` and `runtime.Unknown`), or says why there is
 * none, in Kubernetes' words where it has its own. @throws StatusError 413 for too many fields; nothing else that a client sent throws
 */
export async function readProtobuf(
  body: Uint8Array,
  { members }: BodyLimits = DEFAULT_BODY_LIMITS,
): Promise<ProtobufObject | { readonly error: string }> {
  const fault = envelopeFault(body);
  if (fault !== undefined) return { error: fault };
  const library = await wireLibrary();
  const bytes = body.subarray(MAGIC.length);
  let envelope: Envelope;
  try {
    envelope = readEnvelope(countingReader(library, bytes, members), bytes.length);
  } catch (error) {
    return { error: wordsOf(error) };
  }
  const { apiVersion, kind, message } = envelope;
  return {
    apiVersion,
    kind,
    read(shape) {
      const type = messageOf(shape);
      try {
        return { value: readMessage(countingReader(library, message, members), type, message.length) };
      } catch (error) {
        return { error: wordsOf(error) };
      }
    },
  };
}

/** Reading fails on nothing but the bytes: every error tells what is wrong with them. @throws StatusError as it is */
function wordsOf(error: unknown): string {
  if (isStatusError(error)) throw error;
  if (error instanceof RangeError) return 'unexpected EOF';
  const words = error instanceof Error ? error.message : String(error);
  return words.startsWith('proto: ') ? words : `proto: ${words}`;
}
