import { writeYaml } from '../yaml/write-yaml.js';
import { nextTurn } from '../../clock/next-turn.js';
import { jsonBytes } from './json-source.js';
import { formed, type Batches, type ListForm } from './list-form.js';
import type { SerializedBody, Serializer } from './serializer.js';
import { createTurns } from './turns.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parse = (json: Uint8Array): unknown => JSON.parse(decoder.decode(json));

/** YAML with keys in alphabetical order. */
export const yamlSerializer: Serializer = {
  mediaType: 'application/yaml',
  streamType: undefined,
  tables: true,
  pretty: undefined,
  async value(json) {
    const bytes = jsonBytes(json);
    // What made the object has held the event loop for as long as this will.
    if (bytes.length > LARGE_BYTES) await nextTurn();
    return encoder.encode(await written(bytes));
  },
  list,
  frames() {
    throw new TypeError('YAML has no watch frames: negotiate the watch first');
  },
};

const LARGE_BYTES = 32_768;

/** To read so much, to write it and to encode what was written takes a turn of the event loop each. */
const VAST_BYTES = 524_288;

/** As YAML, `asItem` within a list. Waits before each step where the steps are long. */
function written(json: Uint8Array, asItem = false): string | Promise<string> {
  const value = parse(json);
  const text = (): string => writeYaml(asItem ? [value] : value);
  return json.length > VAST_BYTES ? inTurns(text) : text();
}

async function inTurns(write: () => string): Promise<string> {
  await nextTurn();
  const text = write();
  await nextTurn();
  return text;
}

/** Of a list that is longer than this, the answer is a stream. */
const PART_LENGTH = 131_072;

/** As bytes where it is short; otherwise in parts, none of which is held once it is sent. */
async function list(form: ListForm, batches: Batches): Promise<SerializedBody> {
  const parts = listParts(form, batches);
  const first = await parts.next();
  if (first.done) return new Uint8Array(0);
  const second = await parts.next();
  return second.done ? encoder.encode(first.value) : rest(first.value + second.value, parts);
}

async function* rest(begun: string, parts: AsyncGenerator<string>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield encoder.encode(begun);
    for await (const part of parts) yield encoder.encode(part);
  } finally {
    await parts.return(undefined);
  }
}

/** The items stand under their key as a list of their own would; what sorts after that key comes behind them. */
async function* listParts(form: ListForm, batches: Batches): AsyncGenerator<string, void, undefined> {
  const members = form.members.map(([name, json]): [string, unknown] => [name, JSON.parse(json)]);
  const textOf = (those: typeof members): string => (those.length > 0 ? writeYaml(Object.fromEntries(those)) : '');
  const turns = createTurns();
  let text = textOf(members.filter(([name]) => name < form.itemsName));
  let any = false;
  for await (const batch of batches) {
    for (const json of batch) {
      if (!any) text += `${form.itemsName}:\n`;
      any = true;
      const item = written(formed(form, json), true);
      text += typeof item === 'string' ? item : await item;
      const turn = turns(json.byteLength);
      if (turn) await turn;
      if (text.length < PART_LENGTH) continue;
      yield text;
      text = '';
    }
  }
  if (!any) text += `${form.itemsName}: ${form.empty}\n`;
  yield text + textOf(members.filter(([name]) => name > form.itemsName));
}
