import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { sharedTurn } from '../../clock/shared-turn.js';
import { metaMessages, partialMetadataShape } from '../protobuf/meta-messages.js';
import { DELIMITED, tagOf } from '../protobuf/wire.js';
import { ENVELOPE_END, writeEnvelopeStart, writeMessage } from '../protobuf/write-message.js';
import { listMetaShape } from '../schema/meta-shapes.js';
import type { StructShape } from '../schema/shape.js';
import type { FrameType, ResourceView } from './contract.js';
import { listBody } from './list-chunks.js';
import { jsonBytes, type JsonSource } from '../../json/json-source.js';
import { decodeUtf8 } from '../../json/utf8.js';
import { formed, createYielder, type ListForm, type SerializedBody, type FormatWriter } from './serializer.js';

type Plain = Readonly<Record<string, unknown>>;

const parse = (json: Uint8Array): Plain => JSON.parse(decodeUtf8(json)) as Plain;

/** Longer objects are written in a later turn: making them has blocked the event loop for as long as writing will. */
const LARGE_BYTES = 131_072;

const FIRST = tagOf(1, DELIMITED);
const SECOND = tagOf(2, DELIMITED);
const NOTHING = new Uint8Array(0);

/** Objects in envelopes. Lists are gathered, because their length precedes their items. There are no Tables. */
export const protobufWriter: FormatWriter = {
  value(json, view) {
    return json.byteLength > LARGE_BYTES
      ? sharedTurn().then(() => messageOfValue(json, view))
      : messageOfValue(json, view);
  },
  async list(form, batches, view) {
    const isWhole = form.members.some(([name, json]) => name === 'kind' && json === `"${view.listKind}"`);
    const shape = isWhole ? view.shape : partialMetadataShape();
    const items: Uint8Array[] = [];
    const yielder = createYielder();
    for await (const batch of batches) {
      for (const json of batch) {
        if (json.byteLength > LARGE_BYTES) await sharedTurn();
        items.push(listItem(shape, parse(formed(form, json))));
        const turn = yielder(json.byteLength);
        if (turn) await turn;
      }
    }
    return listOf(form, items);
  },
  frames(view) {
    return (type, json) => writeFrame(new BinaryWriter(), type, parse(json), view);
  },
};

function messageOfValue(json: JsonSource, view: ResourceView | undefined): Uint8Array {
  const writer = new BinaryWriter();
  writeObject(writer, parse(jsonBytes(json)), view);
  return writer.finish();
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function writeObject(writer: BinaryWriter, object: Plain, view: ResourceView | undefined): void {
  const kind = text(object['kind']);
  const shape = view && kind === view.kind ? view.shape : metaMessages().get(kind);
  if (!shape) throw new TypeError(`the kind ${JSON.stringify(kind)} has no protobuf form: add it to metaMessages()`);
  writeEnvelopeStart(writer, text(object['apiVersion']), kind);
  writer.fork();
  writeMessage(writer, shape, object);
  writer.join().raw(ENVELOPE_END);
}

function listItem(shape: StructShape, object: Plain): Uint8Array {
  const writer = new BinaryWriter();
  writer.uint32(SECOND).fork();
  writeMessage(writer, shape, object);
  return writer.join().finish();
}

/** Joins the parts; large lists are streamed, so that they are not copied. */
function listOf(form: ListForm, items: readonly Uint8Array[]): SerializedBody | Promise<SerializedBody> {
  const members = new Map(form.members.map(([name, json]) => [name, JSON.parse(json) as unknown]));
  const writer = new BinaryWriter();
  writer.uint32(FIRST).fork();
  writeMessage(writer, listMetaShape(), members.get('metadata') as Plain);
  const metadata = writer.join().finish();
  const length = items.reduce((sum, item) => sum + item.length, metadata.length);
  writeEnvelopeStart(writer, text(members.get('apiVersion')), text(members.get('kind')));
  const head = writer.uint32(length).raw(metadata).finish();
  const frame = { head, open: NOTHING, between: NOTHING, close: ENVELOPE_END, empty: ENVELOPE_END };
  return listBody(frame, [items]);
}

/** Four bytes of length, then a WatchEvent without an envelope, around an object with one. */
function writeFrame(writer: BinaryWriter, type: FrameType, object: Plain, view: ResourceView): Uint8Array {
  writer.raw(new Uint8Array(4));
  writer.uint32(FIRST).string(type);
  writer.uint32(SECOND).fork().uint32(FIRST).fork();
  writeObject(writer, object, view);
  const bytes = writer.join().join().finish();
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, bytes.length - 4);
  return bytes;
}
