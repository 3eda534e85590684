import { readListOptions } from '../../api/options/list-options.js';
import type { EventRecord } from '../../store/record.js';
import { openList } from '../read-list.js';
import { readSelection } from '../selection.js';
import type { Result, VerbCall } from './call.js';

/** The events of a namespace, or of all, at one revision. */
export async function list(call: VerbCall): Promise<Result> {
  const options = readListOptions(call.query);
  const open = await openList(call, options, readSelection(call, options));
  const toItem = (record: EventRecord): Uint8Array => call.version.itemJson(record);
  return { kind: 'list', meta: open.meta, batches: items(open.batches, toItem) };
}

function items(
  batches: AsyncIterable<readonly EventRecord[]> | Iterable<readonly EventRecord[]>,
  toItem: (record: EventRecord) => Uint8Array,
): AsyncIterable<readonly Uint8Array[]> | Iterable<readonly Uint8Array[]> {
  if (Array.isArray(batches)) return (batches as (readonly EventRecord[])[]).map((batch) => batch.map(toItem));
  return converted(batches, toItem);
}

async function* converted(
  batches: AsyncIterable<readonly EventRecord[]> | Iterable<readonly EventRecord[]>,
  toItem: (record: EventRecord) => Uint8Array,
): AsyncGenerator<readonly Uint8Array[]> {
  for await (const batch of batches) yield batch.map(toItem);
}
