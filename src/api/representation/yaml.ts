import { toYaml } from '../yaml/yaml.js';
import { jsonBytes } from './json-source.js';
import { formed, type ListForm } from './list-form.js';
import type { Serializer } from './serializer.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parse = (json: Uint8Array): unknown => JSON.parse(decoder.decode(json));

/** YAML with keys in alphabetical order. Lists are gathered, for their items stand before other members. */
export const yamlSerializer: Serializer = {
  mediaType: 'application/yaml',
  streamType: undefined,
  tables: true,
  pretty: undefined,
  async value(json) {
    return encoder.encode(await toYaml(parse(jsonBytes(json))));
  },
  async list(form: ListForm, batches) {
    const items: unknown[] = [];
    for await (const batch of batches) for (const json of batch) items.push(parse(formed(form, json)));
    const members = form.members.map(([name, json]): [string, unknown] => [name, JSON.parse(json)]);
    const list = Object.fromEntries([...members, [form.itemsName, items.length || form.empty === '[]' ? items : null]]);
    return encoder.encode(await toYaml(list));
  },
  frames() {
    throw new TypeError('YAML has no watch frames: negotiate the watch first');
  },
};
