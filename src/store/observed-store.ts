import type { Clock } from '../clock/clock.js';
import type { Notify, Observation } from '../observe/observation.js';
import type { Change, EventStore, ListQuery, Revision, StoreCall } from './contract/event-store.js';
import { isStoreError } from './contract/errors.js';

type Operation = Extract<Observation, { type: 'store' }>['operation'];

/** Synchronous calls are not observed: measuring them would take longer than some of them. */
export function observedStore(store: EventStore, notify: Notify, clock: Clock): EventStore {
  const { name } = store;
  /** The oldest write of this process that the feed has not delivered yet, and when it completed. */
  let written: { readonly revision: Revision; readonly at: number } | undefined;
  let feeds = 0;

  const ended = (operation: Operation, outcome: string, since: number): void =>
    notify({ type: 'store', store: name, operation, outcome, durationMs: clock.monotonic() - since });
  const observed = async <T>(operation: Operation, call: StoreCall | undefined, work: () => Promise<T>): Promise<T> => {
    const since = clock.monotonic();
    try {
      const result = await work();
      ended(operation, 'ok', since);
      return result;
    } catch (error) {
      ended(operation, isStoreError(error) ? error.code : call?.aborted ? 'aborted' : 'error', since);
      throw error;
    }
  };
  const writes = async <T extends { readonly revision: Revision }>(
    operation: Operation,
    call: StoreCall | undefined,
    work: () => Promise<T>,
  ): Promise<T> => {
    const record = await observed(operation, call, work);
    if (feeds > 0) written ??= { revision: record.revision, at: clock.monotonic() };
    return record;
  };
  const delivered = (changes: readonly Change[]): void => {
    const last = changes.at(-1)?.revision ?? 0;
    let lagMs: number | undefined;
    if (written !== undefined && last >= written.revision) {
      lagMs = clock.monotonic() - written.at;
      written = undefined;
    }
    notify({ type: 'feed', store: name, changes: changes.length, lagMs });
  };

  return Object.freeze<EventStore>({
    name,
    capabilities: store.capabilities,
    close: () => store.close(),
    get: withSync(store.get, (key, call) => observed('get', call, () => store.get(key, call))),
    list: Object.assign((query: ListQuery) => observed('list', query, () => store.list(query)), {
      ...(store.list.json && { json: store.list.json }),
    }),
    create: withSync(store.create, (key, event, call) => writes('create', call, () => store.create(key, event, call))),
    replace: withSync(store.replace, (key, event, call) =>
      writes('replace', call, () => store.replace(key, event, call)),
    ),
    remove: (key, call) => observed('remove', call, () => store.remove(key, call)),
    async expire(call) {
      const removed = await observed('expire', call, () => store.expire(call));
      if (removed > 0) notify({ type: 'expired', store: name, removed });
      return removed;
    },
    changes: (options) => ({
      [Symbol.asyncIterator]() {
        const source = store.changes(options)[Symbol.asyncIterator]();
        feeds += 1;
        let open = true;
        const over = (): void => {
          if (open) feeds -= 1;
          open = false;
          if (feeds === 0) written = undefined;
        };
        return {
          async next() {
            try {
              const step = await source.next();
              if (step.done === true) over();
              else delivered(step.value);
              return step;
            } catch (error) {
              over();
              throw error;
            }
          },
          return() {
            over();
            return source.return?.() ?? Promise.resolve({ done: true, value: undefined });
          },
        };
      },
    }),
    revision: (call) => observed('revision', call, () => store.revision(call)),
    ping: (call) => observed('ping', call, () => store.ping(call)),
    ...(store.requestProgress && { requestProgress: store.requestProgress.bind(store) }),
    ...(store.now && {
      now: (call) => observed('now', call, () => (store.now as NonNullable<EventStore['now']>)(call)),
    }),
  });
}

function withSync<F extends (...call: never[]) => unknown>(like: F & { readonly sync?: unknown }, run: F): F {
  return like.sync === undefined ? run : Object.assign(run, { sync: like.sync });
}
