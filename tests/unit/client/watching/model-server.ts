import {
  connectionError,
  isConnectionError,
  statusError,
  type StatusError,
} from '../../../../src/client/contract/errors.js';
import type {
  EventListing,
  EventPage,
  EventsClient,
  ListOptions,
  WatchFrame,
  WatchOptions,
} from '../../../../src/client/contract/events-client.js';
import type { Event } from '../../../../src/model/event.js';

interface Entry {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly event: Event;
}

/** A watch that is open at a {@link ModelServer}. */
interface OpenWatch {
  wake(): void;
  fail(error: Error): void;
  end(): void;
  bookmark(): void;
  /** The history is about to be forgotten: a watch that has not been sent all of it ends, as those of real servers do. */
  forget(): void;
  lost: boolean;
}

/** Events with revisions, a history that can be cut, and connections that can be broken: what a follower sees of a server. */
export interface ModelServer {
  readonly client: EventsClient;
  readonly revision: () => number;
  readonly events: ReadonlyMap<string, Event>;
  /** The requests so far. */
  readonly requests: string[];
  /** Frames that were taken from watches. */
  readonly taken: () => number;
  readonly watches: () => number;
  put(name: string, note?: string): Event;
  remove(name: string): void;
  /** Deletes events at one revision, as etcd does with those of a lease. */
  removeTogether(...names: string[]): void;
  /** Breaks every connection; with an error, or as a clean end. */
  cut(error?: Error | 'end'): void;
  /** From now on open connections receive nothing; new ones do. */
  lose(): void;
  /** Sends every watch a bookmark. */
  bookmark(): void;
  /** Forgets the history. */
  compact(): void;
  /** Goes back to an earlier state, as a restored backup does, with other events since then. */
  restore(events: ReadonlyMap<string, Event>, revision: number): void;
  /** The failures of the next requests, each used once; `undefined`: none. */
  refuse(...refusals: (Error | undefined)[]): void;
  /** While true, no request gets through. */
  down: boolean;
  /** Whether it supports WatchList, refuses it, or sends the events without the bookmark that ends them. */
  watchList: 'known' | 'refused' | 'ignored';
  /** The most events on a page of a list. */
  pageSize: number;
}

export const expired = (): StatusError => statusError({ reason: 'Expired', message: 'too old' }, 410);

/** Makes a {@link ModelServer} with revisions from 101. */
export function modelServer(): ModelServer {
  let revision = 100;
  let floor = 100;
  let events = new Map<string, Event>();
  let log: Entry[] = [];
  let uid = 0;
  let taken = 0;
  const refusals: (Error | undefined)[] = [];
  const open = new Set<OpenWatch>();
  const requests: string[] = [];

  const respond = (request: string): void => {
    requests.push(request);
    if (server.down) throw connectionError('refused', false);
    const error = refusals.shift();
    if (error !== undefined) throw error;
  };
  const write = (type: Entry['type'], event: Event): void => {
    log.push({ revision, type, event });
    for (const watch of open) watch.wake();
  };

  async function* pages(options: ListOptions): AsyncGenerator<EventPage> {
    const size = Math.min(options.pageSize ?? server.pageSize, server.pageSize);
    for (let restarted = false; ; restarted = true) {
      respond('list');
      const at = revision;
      const all = [...events.values()];
      let from = 0;
      do {
        const more = from + size < all.length;
        const items = all.slice(from, from + size);
        const first = restarted && from === 0 && { restarted };
        yield { items, resourceVersion: String(at), ...(more && { continue: 'more' }), ...first };
        options.signal?.throwIfAborted();
        from += size;
        if (from >= all.length) return;
        respond('page');
      } while (at >= floor);
    }
  }

  const list = (options: ListOptions = {}): EventListing => ({
    pages: () => pages(options),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages(options)) yield* page.items;
    },
    async toArray() {
      return [...events.values()];
    },
  });

  function watch(options: WatchOptions = {}): AsyncIterable<WatchFrame> {
    const { signal, resourceVersion, sendInitialEvents } = options;
    return {
      [Symbol.asyncIterator]() {
        let begun = false;
        const queue: WatchFrame[] = [];
        let ended: Error | 'end' | undefined;
        let position = Number(resourceVersion ?? 0);
        let waiting: (() => void) | undefined;
        const here: OpenWatch = {
          lost: false,
          wake: () => !here.lost && waiting?.(),
          fail(error) {
            if (here.lost) return;
            ended = error;
            // What was not taken is lost with its connection.
            if (isConnectionError(error)) queue.length = 0;
            waiting?.();
          },
          end() {
            if (here.lost) return;
            ended = 'end';
            waiting?.();
          },
          forget() {
            if (!here.lost && log.some((entry) => entry.revision > position)) here.fail(expired());
          },
          bookmark() {
            if (here.lost || ended !== undefined || options.allowWatchBookmarks !== true) return;
            fill();
            queue.push(bookmarkAt(revision));
            waiting?.();
          },
        };
        const fill = (): void => {
          if (ended !== undefined) return;
          const after = position;
          for (const entry of log) {
            if (entry.revision <= after) continue;
            position = entry.revision;
            queue.push({ type: entry.type, object: entry.event });
          }
        };
        const begin = (): void => {
          begun = true;
          respond(sendInitialEvents ? 'watchlist' : `watch ${resourceVersion ?? ''}`);
          if (sendInitialEvents && server.watchList === 'refused') {
            throw statusError({ reason: 'Invalid', message: 'sendInitialEvents is forbidden' }, 422);
          }
          if (resourceVersion !== undefined && Number(resourceVersion) < floor) throw expired();
          if (resourceVersion === undefined) {
            for (const event of events.values()) queue.push({ type: 'ADDED', object: event });
            position = revision;
            if (server.watchList === 'known') queue.push(bookmarkAt(revision, true));
          }
          open.add(here);
        };
        const leave = (): void => void open.delete(here);
        return {
          async next() {
            signal?.throwIfAborted();
            if (!begun) begin();
            for (;;) {
              if (!here.lost) fill();
              const frame = queue.shift();
              if (frame !== undefined) {
                taken += 1;
                return { done: false, value: frame };
              }
              if (ended !== undefined) {
                leave();
                if (ended === 'end') return { done: true, value: undefined };
                throw ended;
              }
              await new Promise<void>((resolve) => {
                waiting = () => {
                  signal?.removeEventListener('abort', resolve as () => void);
                  resolve();
                };
                signal?.addEventListener('abort', resolve as () => void, { once: true });
              });
              if (signal?.aborted) {
                leave();
                throw signal.reason;
              }
            }
          },
          async return() {
            leave();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  const unused = (): never => {
    throw new Error('not part of the model');
  };
  const server: ModelServer = {
    client: {
      group: 'events.example.com',
      namespace: undefined,
      ...{ list, watch },
      ...{ get: unused, create: unused, update: unused, patch: unused, delete: unused, deleteCollection: unused },
    },
    revision: () => revision,
    get events() {
      return events;
    },
    requests,
    taken: () => taken,
    watches: () => open.size,
    put(name, note = '') {
      revision += 1;
      const before = events.get(name);
      const event: Event = {
        apiVersion: 'events.example.com/v1',
        kind: 'Event',
        metadata: {
          ...{ name, namespace: 'shop', resourceVersion: String(revision) },
          uid: before?.metadata.uid ?? `uid-${++uid}`,
        },
        note,
      };
      events.set(name, event);
      write(before === undefined ? 'ADDED' : 'MODIFIED', event);
      return event;
    },
    remove(name) {
      if (events.has(name)) server.removeTogether(name);
    },
    removeTogether(...names) {
      revision += 1;
      const gone = names.map((name) => events.get(name) as Event);
      for (const name of names) events.delete(name);
      for (const event of gone) {
        write('DELETED', { ...event, metadata: { ...event.metadata, resourceVersion: String(revision) } });
      }
    },
    cut(error = connectionError('cut', true)) {
      for (const each of [...open]) {
        if (error === 'end') each.end();
        else each.fail(error);
        open.delete(each);
      }
    },
    lose() {
      for (const each of open) each.lost = true;
    },
    bookmark() {
      for (const each of open) each.bookmark();
    },
    compact() {
      for (const each of open) each.forget();
      floor = revision;
      log = [];
    },
    restore(earlier, at) {
      events = new Map(earlier);
      revision = at;
      floor = Math.min(floor, at);
      log = [];
    },
    refuse: (...more) => void refusals.push(...more),
    down: false,
    watchList: 'known',
    pageSize: 500,
  };
  return server;
}

function bookmarkAt(revision: number, end = false): WatchFrame {
  const annotations = end ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(revision), ...annotations } } };
}
