import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import { DELIMITED, tagOf, type CountingReader } from './wire.js';
import { messageEnd, readFields, requireWireType } from './read-fields.js';

/** `k8s` and a zero byte, which identify an object in protobuf. */
export const MAGIC: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** The type of a message, which the message itself does not contain. */
export interface TypeNames {
  /** Empty for a few discovery documents. */
  readonly apiVersion: string;
  readonly kind: string;
}

const FIRST = tagOf(1, DELIMITED);
const SECOND = tagOf(2, DELIMITED);
const CONTENT_ENCODING = tagOf(3, DELIMITED);
const CONTENT_TYPE = tagOf(4, DELIMITED);

/** Writes the part of an envelope before the bytes of the message; {@link ENVELOPE_END} follows them. */
export function writeEnvelopeStart(writer: BinaryWriter, { apiVersion, kind }: TypeNames): void {
  writer.raw(MAGIC).uint32(FIRST).fork().uint32(FIRST).string(apiVersion).uint32(SECOND).string(kind).join();
  writer.uint32(SECOND);
}

/** The empty contentEncoding and contentType that Kubernetes writes after the message. */
export const ENVELOPE_END: Uint8Array = Uint8Array.of(CONTENT_ENCODING, 0, CONTENT_TYPE, 0);

export function writeEnvelope(writer: BinaryWriter, names: TypeNames, writeBody: () => void): void {
  writeEnvelopeStart(writer, names);
  writer.fork();
  writeBody();
  writer.join().raw(ENVELOPE_END);
}

/** Why a body cannot be an envelope, in Kubernetes' words; undefined when it may be one. */
export function envelopeFault(body: Uint8Array): string | undefined {
  if (body.length === 0) return 'empty data';
  if (body.length < MAGIC.length || MAGIC.some((byte, at) => body[at] !== byte)) {
    return `provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`;
  }
  return body.length === MAGIC.length ? 'empty body' : undefined;
}

/** Reads an envelope after its {@link MAGIC}. @throws Error where it is malformed */
export function readEnvelope(reader: CountingReader, end: number): TypeNames & { readonly message: Uint8Array } {
  const names = { apiVersion: '', kind: '' };
  let message: Uint8Array = new Uint8Array(0);
  readFields(reader, 'Unknown', end, (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    requireWireType(wireType, DELIMITED, number === 1 ? 'TypeMeta' : 'Raw');
    if (number === 1) readTypeMeta(reader, messageEnd(reader, end), names);
    else message = reader.bytes();
    return true;
  });
  return { ...names, message };
}

function readTypeMeta(reader: CountingReader, end: number, names: { apiVersion: string; kind: string }): void {
  readFields(reader, 'TypeMeta', end, (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    requireWireType(wireType, DELIMITED, number === 1 ? 'APIVersion' : 'Kind');
    names[number === 1 ? 'apiVersion' : 'kind'] = reader.string();
    return true;
  });
}
