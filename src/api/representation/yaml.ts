import { toYaml } from '../yaml/yaml.js';
import { writeYaml } from '../yaml/write-yaml.js';
import { jsonBytes } from './json-source.js';
import { listBody } from './list-chunks.js';
import { formed, type ListForm } from './list-form.js';
import type { Serializer } from './serializer.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parse = (json: Uint8Array): unknown => JSON.parse(decoder.decode(json));
const NOTHING = new Uint8Array(0);
const NEWLINE = encoder.encode('\n');

/** YAML with keys in alphabetical order. Lists are written item by item: the text of an item does not depend on others. */
export const yamlSerializer: Serializer = {
  mediaType: 'application/yaml',
  streamType: undefined,
  tables: true,
  pretty: undefined,
  async value(json) {
    return encoder.encode(await toYaml(parse(jsonBytes(json))));
  },
  list(form: ListForm, batches, _view, memory) {
    const { itemsName } = form;
    const before = encoder.encode(`${membersText(form, (name) => name < itemsName)}${itemsName}:`);
    const after = membersText(form, (name) => name > itemsName);
    const frame = {
      head: before,
      open: NEWLINE,
      between: NOTHING,
      close: encoder.encode(after),
      empty: encoder.encode(` ${form.empty}\n${after}`),
      item: (item: Parameters<typeof formed>[1]) => encoder.encode(writeYaml([parse(formed(form, item))])),
    };
    return listBody(frame, batches, memory);
  },
  frames() {
    throw new TypeError('YAML has no watch frames: negotiate the watch first');
  },
};

/** Some members of a list, in order. */
function membersText({ members }: ListForm, wanted: (name: string) => boolean): string {
  const chosen = members.filter(([name]) => wanted(name)).map(([name, json]) => [name, JSON.parse(json) as unknown]);
  return chosen.length === 0 ? '' : writeYaml(Object.fromEntries(chosen));
}
