import { readListOptions, type ListOptions } from '../../api/options/list-options.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Batches } from '../../api/representation/list-form.js';
import type { Selector } from '../../api/selectors/contract.js';
import type { EventRecord } from '../../store/record.js';
import { joinedList } from '../listing/joined-list.js';
import { openList, type OpenList } from '../listing/read-list.js';
import { readSelection } from '../listing/selection.js';
import type { Result, VerbCall } from '../request/call.js';

/** The events of a namespace, or of all, at one revision: at once where the store has them joined. */
export function list(call: VerbCall): Result | Promise<Result> {
  const options = readListOptions(call.query);
  const selector = readSelection(call, options);
  const joined = joinedList(call, options, selector);
  if (joined === undefined) return opened(call, options, selector);
  return { kind: 'list', meta: joined.meta, batches: joined.batches, memory: call.environment.chunkMemory };
}

async function opened(call: VerbCall, options: ListOptions, selector: Selector): Promise<Result> {
  const open = await openList(call, options, selector);
  const { chunkMemory: memory } = call.environment;
  const batches = items(open.batches, call.version.listItem);
  return { kind: 'list', meta: open.meta, batches, memory, ahead: open.ahead };
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
