import { nextTurn, type Clock } from '../../clock/clock.js';
import type { EventStore, ListPage } from '../contract/event-store.js';
import { eventSize } from '../contract/record.js';
import type { Bounds } from '../memory/bounds.js';
import { createReplica, type Replica, type ReplicaLimits } from '../memory/replica.js';

/** How many events a page has: few at first, then as many as fit into `PAGE_BYTES`, since stores return copies. */
const FIRST_PAGE = 100;
const LARGEST_PAGE = 1000;
const PAGE_BYTES = 4_194_304;
/** Events that are loaded in one turn of the event loop: 1 to 2 ms. */
const IN_A_TURN = 100;

export interface FillOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly limits: ReplicaLimits;
  readonly bounds: Bounds;
  readonly signal: AbortSignal;
  /** Called after each page that was loaded. */
  onPage(replica: Replica): void;
}

/**
 * Reads the state of a store at one revision, page by page. Fails with `full` if it does not fit, and with the errors
 * of the store's lists.
 */
export async function fill({ store, clock, limits, bounds, signal, onPage }: FillOptions): Promise<Replica> {
  let page = await store.list({ limit: FIRST_PAGE, signal });
  const { revision: at } = page;
  const replica = createReplica(clock, at, limits, bounds);
  try {
    for (;;) {
      await load(replica, page, signal);
      onPage(replica);
      const { next: after } = page;
      if (after === undefined) return replica;
      page = await store.list({ at, after, limit: nextLimit(page), signal });
    }
  } catch (error) {
    replica.close();
    throw error;
  }
}

async function load(replica: Replica, { records }: ListPage, signal: AbortSignal): Promise<void> {
  for (let first = 0; first < records.length; first += IN_A_TURN) {
    for (const record of records.slice(first, first + IN_A_TURN)) replica.load(record);
    await nextTurn();
    signal.throwIfAborted();
  }
}

function nextLimit({ records }: ListPage): number {
  let bytes = 1;
  for (const { event } of records) bytes += eventSize(event);
  const fitting = Math.floor((PAGE_BYTES * Math.max(records.length, 1)) / bytes);
  return Math.min(Math.max(fitting, 1), LARGEST_PAGE);
}
