import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { encodeEntry, inOrder, type Manager } from './managers.js';
import type { KeptFields } from './new-object-fields.js';

/** A manager with serialized fields. */
export interface KeptManager {
  readonly manager: Omit<Manager, 'fields'>;
  readonly fields: KeptFields;
}

/** Entries and their JSON. Never changed, because many objects share them. */
export interface WrittenEntries {
  readonly entries: readonly ManagedFieldsEntry[];
  readonly json: string;
}

/** The entries of managers in their order. */
export function writeEntries(managers: readonly KeptManager[]): WrittenEntries {
  const sorted = [...managers].sort((one, other) => inOrder(one.manager, other.manager));
  return {
    entries: sorted.map(({ manager, fields }) => encodeEntry(manager, fields.fieldsV1)),
    json: `[${sorted.map(entryJson).join(',')}]`,
  };
}

function entryJson({ manager, fields }: KeptManager): string {
  const { name, operation, apiVersion, time, subresource } = manager;
  const head = JSON.stringify({
    manager: name || undefined,
    operation,
    apiVersion,
    time: time || undefined,
    fieldsType: 'FieldsV1',
  });
  const tail = subresource ? `,"subresource":${JSON.stringify(subresource)}` : '';
  return `${head.slice(0, -1)},"fieldsV1":${fields.json}${tail}}`;
}
