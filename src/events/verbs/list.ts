import { readListOptions } from '../../api/options/list-options.js';
import type { JsonSource } from '../../api/representation/json-source.js';
import type { Batches } from '../../api/representation/list-form.js';
import type { EventRecord } from '../../store/record.js';
import { openList, type OpenList } from '../read-list.js';
import { readSelection } from '../selection.js';
import type { Result, VerbCall } from './call.js';

/** The events of a namespace, or of all, at one revision. */
export async function list(call: VerbCall): Promise<Result> {
  const options = readListOptions(call.query);
  const open = await openList(call, options, readSelection(call, options));
  const { chunkMemory: memory } = call.environment;
  return { kind: 'list', meta: open.meta, batches: items(open.batches, call.version.listItem), memory };
}

function items(batches: OpenList['batches'], toItem: (record: EventRecord) => JsonSource): Batches {
  if (Array.isArray(batches)) return (batches as (readonly EventRecord[])[]).map((batch) => batch.map(toItem));
  return converted(batches, toItem);
}

async function* converted(
  batches: OpenList['batches'],
  toItem: (record: EventRecord) => JsonSource,
): AsyncGenerator<readonly JsonSource[]> {
  for await (const batch of batches) yield batch.map(toItem);
}
