import type { EncodedEvent, EventKey, EventRecord } from '../../store/contract/record.js';
import type { ReplaceOptions, StoreCall, WriteOptions } from '../../store/contract/event-store.js';
import { LATER } from '../../store/contract/read-hints.js';
import { keyOf, type EventsDependencies, type VerbCall } from './call.js';

/*
 * The calls of a store for one event, which return no promise where the store can do without one: its `sync` functions
 * are called here only.
 */

type Dependencies = Pick<EventsDependencies, 'store'>;

/** Reads the event in the path. */
export function readStored(
  call: VerbCall,
  how: StoreCall = call.life,
): EventRecord | undefined | Promise<EventRecord | undefined> {
  const { store } = call.dependencies;
  const key = keyOf(call);
  const record = store.get.sync ? store.get.sync(key, how) : LATER;
  return typeof record === 'symbol' ? store.get(key, how) : record;
}

/** @throws StoreError as `EventStore.create` */
export function createStored(
  { store }: Dependencies,
  key: EventKey,
  event: EncodedEvent,
  options: WriteOptions,
): EventRecord | Promise<EventRecord> {
  return store.create.sync ? store.create.sync(key, event, options) : store.create(key, event, options);
}

/** @throws StoreError as `EventStore.replace` */
export function replaceStored(
  { store }: Dependencies,
  key: EventKey,
  event: EncodedEvent,
  options: ReplaceOptions,
): EventRecord | Promise<EventRecord> {
  return store.replace.sync ? store.replace.sync(key, event, options) : store.replace(key, event, options);
}

/** Whether a change can be made without a promise, so that nothing else happens between its read and its write. */
export const canChangeAtOnce = ({ store }: Dependencies): boolean =>
  store.get.sync !== undefined && store.replace.sync !== undefined;
