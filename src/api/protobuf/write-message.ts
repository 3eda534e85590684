import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { FieldShape, ScalarShape, StructShape } from '../schema/shape.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { timestampOf, type TimeType } from '../../time/timestamp.js';
import { DELIMITED, MAGIC, tagOf, VARINT, wireTypeOf } from './wire.js';

type Plain = Readonly<Record<string, unknown>>;

const FIRST = tagOf(1, DELIMITED);
const SECOND = tagOf(2, DELIMITED);
const SECONDS = tagOf(1, VARINT);
const NANOS = tagOf(2, VARINT);

const EMPTY: Plain = Object.freeze({});

/** Writes the bytes that Kubernetes' generated code writes. The object is trusted to have the message's types. */
export function writeMessage(writer: BinaryWriter, { byNumber }: StructShape, object: Plain): void {
  for (const field of byNumber.values()) {
    const value = object[field.name];
    if (value !== undefined && value !== null) writeField(writer, field, value);
    else if (isAlwaysWritten(field)) writeField(writer, field, undefined);
  }
}

/** Fields that are no pointers in Kubernetes' Go structs are written even when they are not set. */
function isAlwaysWritten({ shape, presence }: FieldShape): boolean {
  return presence === 'always' || (presence === 'non-empty' && shape.kind === 'scalar');
}

/**
 * Lists hold objects or strings, and maps strings: a test checks all messages.
 *
 * @param value undefined writes the zero value, and nothing at all for lists and maps
 */
function writeField(writer: BinaryWriter, { shape, protobuf }: FieldShape, value: unknown): void {
  const tag = tagOf(protobuf, wireTypeOf(shape));
  switch (shape.kind) {
    case 'scalar':
      return writeScalar(writer, tag, shape.type, value);
    case 'struct':
      return writeNested(writer, tag, shape, (value ?? EMPTY) as Plain);
    case 'list': {
      const { item: itemShape, named } = shape;
      if (named) writer.uint32(tag).fork();
      for (const item of (value ?? []) as readonly unknown[]) {
        if (itemShape.kind === 'struct') writeNested(writer, tag, itemShape, item as Plain);
        else writer.uint32(named ? FIRST : tag).string(item as string);
      }
      if (named) writer.join();
      return;
    }
    case 'map':
      writeMap(writer, tag, (value ?? EMPTY) as Readonly<Record<string, string>>);
  }
}

function writeNested(writer: BinaryWriter, tag: number, shape: StructShape, object: Plain): void {
  writer.uint32(tag).fork();
  writeMessage(writer, shape, object);
  writer.join();
}

function writeMap(writer: BinaryWriter, tag: number, map: Readonly<Record<string, string>>): void {
  for (const key of Object.keys(map).sort(byCodePoint)) {
    writer.uint32(tag).fork();
    writer
      .uint32(FIRST)
      .string(key)
      .uint32(SECOND)
      .string(map[key] as string);
    writer.join();
  }
}

function writeScalar(writer: BinaryWriter, tag: number, type: ScalarShape['type'], value: unknown): void {
  writer.uint32(tag);
  switch (type) {
    case 'string':
      return void writer.string((value ?? '') as string);
    case 'bool':
      return void writer.bool((value ?? false) as boolean);
    case 'int32':
      return void writer.int32((value ?? 0) as number);
    case 'int64':
      return void writer.int64((value ?? 0) as number);
    case 'time':
    case 'micro-time':
      return writeTime(writer, type, value as string | undefined);
    case 'json':
      writer.fork();
      writer.uint32(FIRST).string(JSON.stringify(value));
      writer.join();
  }
}

function writeTime(writer: BinaryWriter, type: TimeType, text: string | undefined): void {
  writer.fork();
  if (text !== undefined) {
    const { seconds, nanos } = timestampOf(text, type);
    writer.uint32(SECONDS).int64(seconds).uint32(NANOS).int32(nanos);
  }
  writer.join();
}

/** Writes the part of an envelope before the bytes of the message; {@link ENVELOPE_END} follows them. */
export function writeEnvelopeStart(writer: BinaryWriter, apiVersion: string, kind: string): void {
  writer.raw(MAGIC).uint32(FIRST).fork().uint32(FIRST).string(apiVersion).uint32(SECOND).string(kind).join();
  writer.uint32(SECOND);
}

/** The empty contentEncoding and contentType that Kubernetes writes after the message. */
export const ENVELOPE_END: Uint8Array = Uint8Array.of(tagOf(3, DELIMITED), 0, tagOf(4, DELIMITED), 0);
