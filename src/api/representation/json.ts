import { joinBytes, uninitializedBytes } from '../../http/bytes.js';
import type { FrameType } from './contract.js';
import { indentJson } from '../../json/indent.js';
import { jsonBytes, writeJson, type JsonSource } from '../../json/json-source.js';
import { decodeUtf8, encodeUtf8 } from '../../json/utf8.js';
import { listBody, type ListFrame } from './list-chunks.js';
import { formed, type ListForm, type Serializer } from './serializer.js';

const HEADERS = Object.freeze({ 'content-type': 'application/json' });
const NEWLINE = 0x0a;
const FRAME_END = encodeUtf8('}\n');
const start = (type: FrameType): Uint8Array => encodeUtf8(`{"type":"${type}","object":`);
const FRAME_START: Readonly<Record<FrameType, Uint8Array>> = {
  ADDED: start('ADDED'),
  MODIFIED: start('MODIFIED'),
  DELETED: start('DELETED'),
  BOOKMARK: start('BOOKMARK'),
  ERROR: start('ERROR'),
};

function frame(type: FrameType, json: Uint8Array): Uint8Array {
  return joinBytes([FRAME_START[type], json, FRAME_END]);
}

function line(json: JsonSource): Uint8Array {
  const out = uninitializedBytes(json.byteLength + 1);
  writeJson(json, out, 0);
  out[json.byteLength] = NEWLINE;
  return out;
}

export function indented(json: Uint8Array, level = 0): Uint8Array {
  return encodeUtf8(indentJson(decodeUtf8(json), level));
}

const COMPACT = { open: encodeUtf8('['), between: encodeUtf8(','), close: encodeUtf8(']}\n'), end: '}\n' };
const INDENTED = {
  open: encodeUtf8('[\n    '),
  between: encodeUtf8(',\n    '),
  close: encodeUtf8('\n  ]\n}'),
  end: '\n}',
};

function createJson(pretty: Serializer | undefined): Serializer {
  const around = pretty ? COMPACT : INDENTED;
  const empty = { '[]': encodeUtf8(`[]${around.end}`), null: encodeUtf8(`null${around.end}`) };
  const headOf = ({ members, itemsName }: ListForm): string =>
    pretty
      ? `{${members.map(([name, json]) => `"${name}":${json},`).join('')}"${itemsName}":`
      : `{\n${members.map(([name, json]) => `  "${name}": ${indentJson(json, 1)},\n`).join('')}  "${itemsName}": `;
  const itemOf = (form: ListForm): ListFrame['item'] => {
    if (!pretty) return (item) => indented(formed(form, item), 2);
    return form.item && ((item) => formed(form, item));
  };
  return {
    mediaType: 'application/json',
    headers: HEADERS,
    streamType: 'application/json',
    tables: true,
    pretty,
    joinsItems: pretty !== undefined,
    frames: () => frame,
    value: pretty ? line : (json) => indented(jsonBytes(json)),
    list: (form, batches, _view, memory) =>
      listBody(
        { head: encodeUtf8(headOf(form)), ...around, empty: empty[form.empty], item: itemOf(form) },
        batches,
        memory,
      ),
  };
}

/** JSON is compact with a newline at the end, or (`pretty`) indented without one. `<`, `>` and `&` are not escaped. */
export const jsonSerializer: Serializer = createJson(createJson(undefined));
