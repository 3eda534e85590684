import { expect, test } from 'vitest';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { eventSize } from '../../../../src/store/contract/record.js';
import { bench, path, type Bench } from '../bench.js';

const EVENTS = 600;

interface Frame {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string } };
}

type Watch = AsyncIterator<Uint8Array>;

interface Filled extends Bench {
  readonly requested: number[];
  readonly after: (string | undefined)[];
}

/** A service with the events, the numbers of events that were requested from its store at once, and after which. */
async function filled(bytesPerCaller: number): Promise<Filled> {
  const requested: number[] = [];
  const after: (string | undefined)[] = [];
  const opened = bench({ limits: { bytesPerCaller } }, (store) => ({
    ...store,
    list: Object.assign(
      (query: Parameters<typeof store.list>[0]) => {
        requested.push(query.limit);
        after.push(query.after?.name);
        return store.list(query);
      },
      { json: undefined },
    ),
  }));
  for (let index = 0; index < EVENTS; index++) {
    // Event 40 is larger than what a watch holds without capacity.
    const name = `e${String(index).padStart(4, '0')}`;
    const note = 'x'.repeat(index === 40 ? 20_000 : 900);
    await opened.store.create({ namespace: 'default', name }, sampleEvent({ name, note }), { expiresAt: 9e15 });
  }
  return { ...opened, requested, after };
}

async function openWatch({ events }: Bench): Promise<Watch> {
  const url = `${path()}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
  const response = await events.handle({ method: 'GET', url, headers: {} });
  return (response?.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
}

async function namesUntilBookmark(watch: Watch, first: IteratorResult<Uint8Array>): Promise<string[]> {
  const names: string[] = [];
  for (let step = first; step.done !== true; step = await watch.next()) {
    const lines = new TextDecoder().decode(step.value).trimEnd().split('\n');
    for (const { type, object } of lines.map((line) => JSON.parse(line) as Frame)) {
      if (type === 'BOOKMARK') return names;
      names.push(object.metadata.name);
    }
  }
  throw new Error('the watch ended before its bookmark');
}

const ALL = Array.from({ length: EVENTS }, (_, index) => `e${String(index).padStart(4, '0')}`);

test('the initial events of a watch that is read are requested in full pages', async () => {
  const service = await filled(10_000_000);
  const watch = await openWatch(service);
  expect(await namesUntilBookmark(watch, await watch.next())).toEqual(ALL);
  expect(service.requested).toEqual([500, 500]);
  await watch.return?.();
});

test('watches that are not read hold few of their initial events beyond the bytes of their caller', async () => {
  const service = await filled(200_000);
  const unread = await openWatch(service);
  const firstOfUnread = await unread.next();
  service.requested.length = 0;
  const watch = await openWatch(service);
  expect(await namesUntilBookmark(watch, await watch.next())).toEqual(ALL);
  // The first page is cut; the next ones are small, and grow while they need no capacity.
  expect(service.requested[0]).toBe(500);
  expect(Math.max(...service.requested.slice(1))).toBeLessThanOrEqual(128);
  // The first one gets all events, too, and then its bytes are those of others.
  expect(await namesUntilBookmark(unread, firstOfUnread)).toEqual(ALL);
  service.requested.length = 0;
  const later = await openWatch(service);
  expect(await namesUntilBookmark(later, await later.next())).toEqual(ALL);
  expect(service.requested).toEqual([500, 500]);
  for (const each of [unread, watch, later]) await each.return?.();
});

test('what a watch holds of its initial events without capacity is 32 KiB and the event that exceeds them', async () => {
  const service = await filled(200_000);
  const unread = await openWatch(service);
  await unread.next();
  service.after.length = 0;
  const watch = await openWatch(service);
  await namesUntilBookmark(watch, await watch.next());
  let bytes = 0;
  let last: string | undefined;
  for (const name of ALL) {
    const record = await service.store.get({ namespace: 'default', name });
    if (bytes > 32_768 || record === undefined) break;
    bytes += eventSize(record.event);
    last = name;
  }
  expect(service.after.slice(0, 2)).toEqual([undefined, last]);
  for (const each of [unread, watch]) await each.return?.();
});

test('a watch that ends during its initial events releases their bytes', async () => {
  const service = await filled(200_000);
  const left = await openWatch(service);
  await left.next();
  await left.return?.();
  service.requested.length = 0;
  const watch = await openWatch(service);
  expect(await namesUntilBookmark(watch, await watch.next())).toEqual(ALL);
  expect(service.requested).toEqual([500, 500]);
  await watch.return?.();
});
