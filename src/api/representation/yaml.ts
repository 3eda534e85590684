import { writeYaml, yamlPieces } from '../yaml/write-yaml.js';
import { sharedTurn } from '../../clock/shared-turn.js';
import { jsonBytes } from '../../json/json-source.js';
import { decodeUtf8, encodeUtf8 } from '../../json/utf8.js';
import type { Batches } from './contract.js';
import { formed, createYielder, type ListForm, type SerializedBody, type FormatWriter } from './serializer.js';

const parse = (json: Uint8Array): unknown => JSON.parse(decodeUtf8(json));

export const yamlWriter: FormatWriter = {
  async value(json) {
    const bytes = jsonBytes(json);
    // Making the object has blocked the event loop for as long as this will.
    if (bytes.length > LARGE_BYTES && bytes.length <= PIECE_LENGTH) await sharedTurn();
    return encodeUtf8(await written(bytes));
  },
  list,
  frames() {
    throw new TypeError('YAML has no watch frames: negotiate the watch first');
  },
};

const LARGE_BYTES = 32_768;

/** Longer JSON is parsed in one turn of the event loop, and then written in pieces of this length, each in a turn. */
const PIECE_LENGTH = 65_536;

function written(json: Uint8Array, asItem = false): string | Promise<string> {
  if (json.length > PIECE_LENGTH) return inTurns(json, asItem);
  const value = parse(json);
  return writeYaml(asItem ? [value] : value);
}

async function inTurns(json: Uint8Array, asItem: boolean): Promise<string> {
  await sharedTurn();
  const value = parse(json);
  await sharedTurn();
  let text = '';
  for (const piece of yamlPieces(asItem ? [value] : value, PIECE_LENGTH)) {
    text += piece;
    await sharedTurn();
  }
  return text;
}

/** Longer lists are streamed. */
const PART_LENGTH = 131_072;

/** Bytes if it is short; otherwise parts, none of which is held once it is sent. */
async function list(form: ListForm, batches: Batches): Promise<SerializedBody> {
  const parts = listParts(form, batches);
  const first = await parts.next();
  if (first.done) return new Uint8Array(0);
  const second = await parts.next();
  return second.done ? encodeUtf8(first.value) : rest(first.value + second.value, parts);
}

async function* rest(begun: string, parts: AsyncGenerator<string>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield encodeUtf8(begun);
    for await (const part of parts) yield encodeUtf8(part);
  } finally {
    await parts.return(undefined);
  }
}

/** The items follow their key as in a separate list; members that sort after that key follow them. */
async function* listParts(form: ListForm, batches: Batches): AsyncGenerator<string, void, undefined> {
  const members = form.members.map(([name, json]): [string, unknown] => [name, JSON.parse(json)]);
  const textOf = (those: typeof members): string => (those.length > 0 ? writeYaml(Object.fromEntries(those)) : '');
  const yielder = createYielder();
  let text = textOf(members.filter(([name]) => name < form.itemsName));
  let any = false;
  for await (const batch of batches) {
    for (const json of batch) {
      if (!any) text += `${form.itemsName}:\n`;
      any = true;
      const item = written(formed(form, json), true);
      text += typeof item === 'string' ? item : await item;
      const turn = yielder(json.byteLength);
      if (turn) await turn;
      if (text.length < PART_LENGTH) continue;
      yield text;
      text = '';
    }
  }
  if (!any) text += `${form.itemsName}: ${form.empty}\n`;
  yield text + textOf(members.filter(([name]) => name > form.itemsName));
}
