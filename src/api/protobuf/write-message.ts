import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { ScalarShape } from '../schema/shape.js';
import { byCodePoint } from '../../json/code-point-order.js';
import type { Message, MessageField } from './message.js';
import { timestampOf, type TimeType } from '../../time/timestamp.js';
import { DELIMITED, tagOf, VARINT } from './wire.js';

type Plain = Readonly<Record<string, unknown>>;

const FIRST = tagOf(1, DELIMITED);
const SECOND = tagOf(2, DELIMITED);
const SECONDS = tagOf(1, VARINT);
const NANOS = tagOf(2, VARINT);

const EMPTY: Plain = Object.freeze({});

/**
 * Writes byte for byte what Kubernetes' generated code writes. Fields that the message does not have (`kind`,
 * `apiVersion`) are left out. The object is trusted to have the message's types.
 */
export function writeMessage(writer: BinaryWriter, message: Message, object: Plain): void {
  for (const field of message.fields) {
    const value = object[field.name];
    if (value !== undefined && value !== null) writeField(writer, field, value);
    else if (field.always) writeField(writer, field, undefined);
  }
}

/** @param value undefined writes the zero value, and nothing at all for lists and maps */
function writeField(writer: BinaryWriter, { number, type }: MessageField, value: unknown): void {
  const tag = tagOf(number, DELIMITED);
  switch (type.kind) {
    case 'scalar':
      writeScalar(writer, number, type.type, value);
      return;
    case 'message':
      writeNested(writer, tag, type.message, (value ?? EMPTY) as Plain);
      return;
    case 'list':
      for (const item of (value ?? []) as readonly unknown[]) {
        if (type.item === 'string') writer.uint32(tag).string(item as string);
        else writeNested(writer, tag, type.item, item as Plain);
      }
      return;
    case 'map':
      writeMap(writer, tag, (value ?? EMPTY) as Readonly<Record<string, string>>);
      return;
    case 'strings':
      writer.uint32(tag).fork();
      for (const item of (value ?? []) as readonly string[]) writer.uint32(FIRST).string(item);
      writer.join();
  }
}

function writeNested(writer: BinaryWriter, tag: number, message: Message, object: Plain): void {
  writer.uint32(tag).fork();
  writeMessage(writer, message, object);
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

function writeScalar(writer: BinaryWriter, number: number, type: ScalarShape['type'], value: unknown): void {
  switch (type) {
    case 'string':
      writer.uint32(tagOf(number, DELIMITED)).string((value ?? '') as string);
      return;
    case 'bool':
      writer.uint32(tagOf(number, VARINT)).bool((value ?? false) as boolean);
      return;
    case 'int32':
      writer.uint32(tagOf(number, VARINT)).int32((value ?? 0) as number);
      return;
    case 'int64':
      writer.uint32(tagOf(number, VARINT)).int64((value ?? 0) as number);
      return;
    case 'time':
    case 'micro-time':
      writer.uint32(tagOf(number, DELIMITED));
      writeTime(writer, type, value as string | undefined);
      return;
    case 'json':
      writer.uint32(tagOf(number, DELIMITED)).fork();
      if (value !== undefined) writer.uint32(FIRST).string(JSON.stringify(value));
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
