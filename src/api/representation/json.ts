import { joinBytes, unwrittenBytes } from '../../http/bytes.js';
import type { FrameType } from './contract.js';
import { indentJson } from '../../json/indent.js';
import { jsonBytes, type JsonSource } from '../../json/json-source.js';
import { listBody } from './list-chunks.js';
import { formed, type ListForm, type Serializer } from './serializer.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const bytes = (text: string): Uint8Array => encoder.encode(text);

/** What stands around the items of a list, made once. */
const PLAIN = { open: bytes('['), between: bytes(','), close: bytes(']}\n') };
const PRETTY = { open: bytes('[\n    '), between: bytes(',\n    '), close: bytes('\n  ]\n}') };
const EMPTY = { '[]': bytes('[]}\n'), null: bytes('null}\n') };
const PRETTY_EMPTY = { '[]': bytes('[]\n}'), null: bytes('null\n}') };

const NEWLINE = 0x0a;
const FRAME_END = bytes('}\n');
const FRAME_START: Readonly<Record<FrameType, Uint8Array>> = {
  ADDED: bytes('{"type":"ADDED","object":'),
  MODIFIED: bytes('{"type":"MODIFIED","object":'),
  DELETED: bytes('{"type":"DELETED","object":'),
  BOOKMARK: bytes('{"type":"BOOKMARK","object":'),
  ERROR: bytes('{"type":"ERROR","object":'),
};

/** One JSON watch event: always compact, on a line of its own. */
function frame(type: FrameType, json: Uint8Array): Uint8Array {
  return joinBytes([FRAME_START[type], json, FRAME_END]);
}

/** JSON and a newline. */
function line(json: JsonSource): Uint8Array {
  const out = unwrittenBytes(json.byteLength + 1);
  if ('writeTo' in json) json.writeTo(out, 0);
  else out.set(json);
  out[json.byteLength] = NEWLINE;
  return out;
}

/** Compact JSON from its indented form's text: two spaces, no newline at the end. */
export function indented(json: Uint8Array, level = 0): Uint8Array {
  return bytes(indentJson(decoder.decode(json), level));
}

const prettyJson: Serializer = {
  mediaType: 'application/json',
  streamType: 'application/json',
  tables: true,
  pretty: undefined,
  frames: () => frame,
  value: (json) => indented(jsonBytes(json)),
  list(form: ListForm, batches, _view, memory) {
    const members = form.members.map(([name, json]) => `  "${name}": ${indentJson(json, 1)},\n`).join('');
    return listBody(
      {
        head: bytes(`{\n${members}  "${form.itemsName}": `),
        open: PRETTY.open,
        between: PRETTY.between,
        close: PRETTY.close,
        empty: PRETTY_EMPTY[form.empty],
        item: (item) => indented(formed(form, item), 2),
      },
      batches,
      memory,
    );
  },
};

/**
 * JSON: compact with a newline at the end, or (`pretty`) with two-space indentation and none. `<`, `>` and `&` are
 * written as they are.
 */
export const jsonSerializer: Serializer = {
  mediaType: 'application/json',
  streamType: 'application/json',
  tables: true,
  pretty: prettyJson,
  joinsItems: true,
  frames: () => frame,
  value: line,
  list(form: ListForm, batches, _view, memory) {
    const members = form.members.map(([name, json]) => `"${name}":${json},`).join('');
    return listBody(
      {
        head: bytes(`{${members}"${form.itemsName}":`),
        open: PLAIN.open,
        between: PLAIN.between,
        close: PLAIN.close,
        empty: EMPTY[form.empty],
        item: form.item && ((item) => formed(form, item)),
      },
      batches,
      memory,
    );
  },
};
