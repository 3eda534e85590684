import type { ListOptions } from '../../api/options/list-options.js';
import { JsonPieces, type JsonSource } from '../../json/json-source.js';
import type { Batches } from '../../api/representation/list-form.js';
import type { Selector } from '../../api/selectors/contract.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { JsonPage, Position } from '../../store/contract.js';
import { listMeta, pageFailure, PageQuery, startOf } from './list-query.js';
import { futureRevision } from '../request/store-failures.js';
import type { VerbCall } from '../request/call.js';
import { createPace } from './pace.js';
import { createPageSizes, PAGE } from './page-sizes.js';
import { batched } from './record-batches.js';

/** A list of which the store has the bytes. */
export interface JoinedList {
  readonly meta: ListMeta;
  readonly batches: Batches;
}

/**
 * A list that the store has joined already, at once; `undefined`: it has to be read. Only for answers that hold the events
 * as they are stored, and selectors that the store can tell all of. A list without limit is read in records from where
 * the store has no more.
 *
 * @throws StatusError as `openList`
 */
export function joinedList(call: VerbCall, options: ListOptions, selector: Selector): JoinedList | undefined {
  const { list } = call.environment.store;
  const { json: joined } = list;
  if (joined === undefined || !call.joinsItems || !call.version.listsStored || !selector.onlyEqualities)
    return undefined;
  const start = startOf(call, options);
  const limit = Math.max(options.limit, 0);
  let first: JsonPage | undefined;
  try {
    first = joined(new PageQuery(call, selector, start.at, start.after, limit || PAGE));
  } catch (error) {
    throw pageFailure(error, call, options, start.at, start.after);
  }
  if (first === undefined) return undefined;
  const { revision, next, remaining } = first;
  if (revision < start.notOlderThan) throw futureRevision(options.resourceVersion, revision);
  if (limit === 0 && next !== undefined)
    return { meta: listMeta(call, revision), batches: rest(call, selector, first) };
  const counted = selector.empty ? remaining : undefined;
  return { meta: listMeta(call, revision, next, counted), batches: [itemsOf(first)] };
}

function itemsOf({ pieces }: JsonPage): readonly JsonSource[] {
  return pieces.length === 0 ? [] : [new JsonPieces(pieces)];
}

async function* rest(call: VerbCall, selector: Selector, first: JsonPage): AsyncGenerator<readonly JsonSource[]> {
  const { list } = call.environment.store;
  const { version } = call;
  const { revision } = first;
  const pace = createPace(call.environment.clock, call.life);
  const sizes = createPageSizes(false);
  const query = (after: Position, limit: number): PageQuery => new PageQuery(call, selector, revision, after, limit);
  yield itemsOf(first);
  for (let next = first.next; next !== undefined;) {
    pace.requireGoingOn();
    if (pace.due()) await pace.rest();
    const joined: JsonPage | undefined = list.json?.(query(next, PAGE));
    if (joined !== undefined) {
      yield itemsOf(joined);
      next = joined.next;
      continue;
    }
    const page = await list(query(next, sizes.next(PAGE)));
    sizes.read(page);
    next = page.next;
    // Terms are a hint to `list`.
    for await (const records of batched(page.records, pace, selector)) {
      yield records.map(version.listItem);
    }
  }
}
