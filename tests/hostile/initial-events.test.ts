import { expect, onTestFinished, test } from 'vitest';
import { COLLECTION, eventStart } from '../../bench/hostile/making.js';
import { allowAnonymous, allowEverybody, createEvents, memoryStore } from '../../src/index.js';
import type { EventRecord, EventStore } from '../../src/store.js';
import { collectGarbage } from '../collect-garbage.js';

const EVENTS = 1_200;
const WATCHES = 200;
const LIMIT_BYTES = 8 * 1_048_576;
/** Each watch may hold 32 KiB of events, and as much of frames. A page for each is 230 MB. */
const ALLOWED_BYTES = 40 * 1_048_576;

const copyOf = ({ event, ...record }: EventRecord): EventRecord => {
  const { cut, uid, fields, labels } = event;
  return { ...record, event: { bytes: Uint8Array.from(event.bytes), cut, uid, fields, labels } };
};

/** A store that returns copies of events, as all do but the memory store. */
function copying(store: EventStore): EventStore {
  const list: EventStore['list'] = async (query) => {
    const page = await store.list(query);
    return { ...page, records: page.records.map(copyOf) };
  };
  return { ...store, list };
}

function used(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

test('watches that do not read their initial events do not hold a page of the store each', async () => {
  const store = memoryStore();
  const events = createEvents({
    apiDomain: 'example.com',
    store: copying(store),
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
    limits: { bytesPerCaller: LIMIT_BYTES },
  });
  onTestFinished(async () => {
    await events.close();
    await store.close();
  });
  const headers = { 'content-type': 'application/json' };
  for (let index = 0; index < EVENTS; index++) {
    const body = `${eventStart(`e${index}`)},"annotations":{"a":"${'x'.repeat(2_000)}"}}}`;
    const response = await events.handle({ method: 'POST', url: COLLECTION, headers, body: () => body });
    expect(response?.status).toBe(201);
  }
  const before = used();
  const held: AsyncIterator<Uint8Array>[] = [];
  for (let index = 0; index < WATCHES; index++) {
    const response = await events.handle({ method: 'GET', url: `${COLLECTION}?watch=1`, headers: {} });
    const iterator = (response?.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    held.push(iterator);
  }
  await expect.poll(() => used() - before, { timeout: 10_000, interval: 100 }).toBeLessThan(ALLOWED_BYTES);
  for (const iterator of held) await iterator.return?.();
});
