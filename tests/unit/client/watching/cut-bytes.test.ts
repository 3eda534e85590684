import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectionError } from '../../../../src/client/contract/errors.js';
import { createEventsClient } from '../../../../src/client/requests/create-events-client.js';
import type { EventChange } from '../../../../src/client/watching/changes.js';
import { watchEvents } from '../../../../src/client/watching/watch-events.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import type { Event } from '../../../../src/model/event.js';
import { allowAnonymous, allowEverybody, createEvents, memoryStore } from '../../../../src/index.js';
import { fakeClock, type FakeClock } from '../../../../src/testing.js';
import { passOn } from './bench.js';

const encoder = new TextEncoder();
const ONCE = { retries: 0 };

const body = (name: string): Event => ({
  metadata: { name, namespace: 'shop', annotations: { text: 'ä€𝄞' } },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
});

/**
 * The bytes of a response, in chunks of `size`, broken off after `count` of them; `delay` keeps each back for a moment.
 */
async function* broken(
  source: AsyncIterable<Uint8Array>,
  count: number,
  size: number,
  delay: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of source) {
    const copy = chunk.slice();
    for (let at = 0; at < copy.length; at += size) {
      const part = copy.subarray(at, Math.min(at + size, copy.length, at + left));
      left -= part.length;
      await delay();
      if (part.length > 0) yield part;
      if (left <= 0) throw connectionError('the connection broke', true);
    }
  }
}

/** How each connection breaks, in order; those after the last one do not break. */
interface Cut {
  readonly bytes: number;
  readonly chunk: number;
  readonly delayed: boolean;
}

function breaking(handler: ApiHandler, cuts: readonly Cut[]): ApiHandler {
  const queue = [...cuts];
  return async (request) => {
    const cut = queue.shift();
    const response = await handler(request);
    if (cut === undefined || response === undefined || response.body === null) return response;
    const source = response.body;
    const chunks =
      typeof source === 'string' || source instanceof Uint8Array
        ? (async function* () {
            yield typeof source === 'string' ? encoder.encode(source) : source;
          })()
        : source;
    const delay = (): Promise<void> =>
      cut.delayed ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve();
    return { status: response.status, headers: response.headers, body: broken(chunks, cut.bytes, cut.chunk, delay) };
  };
}

interface Shop {
  readonly handler: ApiHandler;
  readonly clock: FakeClock;
  write(method: 'POST' | 'PATCH' | 'DELETE', name: string): Promise<void>;
  state(): Promise<string[]>;
  close(): Promise<void>;
}

/** A server whose history has room for few changes, so that it expires. */
function shop(): Shop {
  const clock = fakeClock();
  const store = memoryStore({ clock, historyMaxBytes: 5_000 });
  const events = createEvents({
    ...{ apiDomain: 'example.com', store, clock, authenticate: allowAnonymous(), authorize: allowEverybody() },
    bookmarkIntervalMs: 5_000,
    // That history is dropped is intended here, and not to be reported.
    observe: () => undefined,
  });
  const handler = events.as({ name: 'tester', groups: ['system:masters'] });
  const client = createEventsClient({ transport: handler, group: 'events.example.com', namespace: 'shop' });
  let count = 0;
  return {
    ...{ handler, clock },
    async write(method, name) {
      const labels = { count: String(++count) };
      const writing =
        method === 'POST'
          ? client.create(body(name))
          : method === 'PATCH'
            ? client.patch({ name }, { type: 'merge', patch: { metadata: { labels } } })
            : client.delete({ name });
      // The event exists already, or does not exist.
      await writing.catch((error: unknown) => expect([404, 409]).toContain((error as { code?: number }).code));
    },
    async state() {
      const all = await client.list().toArray();
      return all.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
    },
    async close() {
      await events.close();
      await store.close();
    },
  };
}

const cut: fc.Arbitrary<Cut> = fc.record({
  bytes: fc.integer({ min: 0, max: 4_000 }),
  chunk: fc.integer({ min: 1, max: 700 }),
  delayed: fc.boolean(),
});
const write = fc.record({
  method: fc.constantFrom('POST' as const, 'POST' as const, 'PATCH' as const, 'DELETE' as const),
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  waitMs: fc.constantFrom(0, 0, 100, 2_000),
});

const identityOf = ({ metadata }: Event): { name: string; revision: string } => ({
  name: metadata.name ?? '',
  revision: metadata.resourceVersion ?? '',
});

/** What exists after these changes, as {@link Shop.state} says it. */
function stateOf(changes: readonly EventChange[]): string[] {
  const state = new Map<string, string>();
  for (const { type, event } of changes) {
    const { name, revision } = identityOf(event);
    if (type === 'deleted') state.delete(name);
    else state.set(name, revision);
  }
  return [...state].map(([name, revision]) => `${name}@${revision}`).sort();
}

describe('A watch whose connections break at any byte', () => {
  it.each([true, false])(
    "has every event once, and in the end the server's state (WatchList: %s)",
    async (watchList) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(cut, { minLength: 1, maxLength: 12 }),
          fc.array(write, { minLength: 10, maxLength: 50 }),
          async (cuts, writes) => {
            const server = shop();
            const stopping = new AbortController();
            try {
              const client = createEventsClient({
                ...{ transport: breaking(server.handler, cuts), group: 'events.example.com', namespace: 'shop' },
                ...{ clock: server.clock, retry: ONCE },
              });
              const given: EventChange[] = [];
              const running = (async () => {
                const options = {
                  client,
                  clock: server.clock,
                  watchList,
                  signal: stopping.signal,
                  observe: () => undefined,
                };
                for await (const change of watchEvents(options)) given.push(change);
              })();
              for (const one of writes) {
                await server.write(one.method, one.name);
                if (one.waitMs > 0) await passOn(server.clock, one.waitMs);
              }
              // Without it the state could equal an earlier one, which the watch already has.
              await server.write('POST', 'last');
              const expected = await server.state();
              // 12 delayed connections of 4,000 single bytes need 48,000 turns; a round has 4,000.
              for (let round = 0; round < 20 && !isDeepStrictEqual(stateOf(given), expected); round++) {
                await passOn(server.clock, 120_000);
              }
              await passOn(server.clock, 10_000);
              stopping.abort();
              await running;

              expect(stateOf(given)).toEqual(expected);
              const state = new Map<string, string>();
              const versions = new Set<string>();
              for (const { type, event, missed } of given) {
                const { name, revision } = identityOf(event);
                expect([type, state.has(name)]).toEqual([type, type !== 'added']);
                if (!missed) expect(versions.has(revision)).toBe(false);
                if (!missed && type !== 'deleted') versions.add(revision);
                if (type !== 'added' && !missed) expect(Number(revision)).toBeGreaterThan(Number(state.get(name)));
                if (type === 'deleted') state.delete(name);
                else state.set(name, revision);
              }
            } finally {
              stopping.abort();
              await server.close();
            }
          },
        ),
        { numRuns: 20 },
      );
    },
    60_000,
  );
});
