import { expect, test } from 'vitest';
import { COLLECTION, eventStart } from '../../bench/hostile/making.js';
import { longestStretch, machineSlowness, sendHostile } from '../../bench/hostile/send.js';
import { allowAnonymous, allowEverybody, createEvents, memoryStore } from '../../src/index.js';
import { nextTurn } from '../../src/clock/clock.js';

const LIMIT_MS = 50;
/** What is slow by accident is not slow each time. */
const ATTEMPTS = 8;
const WATCHES = 400;
const EVENTS = 160;

const encoder = new TextEncoder();

/** Milliseconds of the event loop for many watches from a recent revision, each with a long selector of its own. */
async function stretch(): Promise<number> {
  const store = memoryStore();
  const events = createEvents({
    apiDomain: 'example.com',
    store,
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
  });
  const after = await store.revision();
  const leaving: AbortController[] = [];
  let frames = 0;
  const watch = async (labelSelector: string): Promise<void> => {
    const url = `${COLLECTION}?watch=true&resourceVersion=${after}&labelSelector=${encodeURIComponent(labelSelector)}`;
    const leave = new AbortController();
    leaving.push(leave);
    const response = await events.handle({ method: 'GET', url, headers: {}, signal: leave.signal });
    for await (const chunk of response?.body as AsyncIterable<Uint8Array>) frames += chunk.length;
  };
  // As long as one watch is open, recent changes are in memory.
  const open = [watch('none')];
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  const labels = Array.from({ length: 3_900 }, (_, index) => `"k${index}":"v"`).join(',');
  for (let index = 0; index < EVENTS; index++) {
    const body = encoder.encode(`${eventStart(`e${index}`)},"labels":{${labels}}}}`);
    const headers = { 'content-type': 'application/json' };
    expect((await sendHostile(events.handle, { method: 'POST', url: COLLECTION, headers, body })).status).toBe(201);
  }
  const terms = Array.from({ length: 400 }, (_, index) => `!z${index}`).join(',');
  const slowness = machineSlowness();
  const longest = await longestStretch(async () => {
    for (let index = 0; index < WATCHES; index++) {
      open.push(watch(`${terms},k1=v${index}`));
      if (index % 20 === 19) await nextTurn();
    }
    for (let turn = 0; turn < 400; turn++) await nextTurn();
    for (const leave of leaving) leave.abort();
    await Promise.all(open);
  });
  expect(frames).toBe(0);
  await events.close();
  await store.close();
  return longest / slowness;
}

/** Milliseconds of the event loop for watches that are sent in ASCII, of an event with a message of 3 MiB of umlauts. */
async function asciiStretch(): Promise<number> {
  const store = memoryStore({ maxEventBytes: 4_194_304 });
  const hooks = { authenticate: allowAnonymous(), authorize: allowEverybody() };
  const events = createEvents({ apiDomain: 'example.com', store, ...hooks, coreV1: true, maxBodyBytes: 3_145_728 });
  const url = '/api/v1/namespaces/default/events';
  const message = 'ü'.repeat(1_500_000);
  const body = encoder.encode(
    `{"kind":"Event","apiVersion":"v1","metadata":{"name":"long","namespace":"default"},"reason":"Tested","type":"Normal",` +
      `"involvedObject":{"kind":"Pod","namespace":"default","name":"web-1"},"source":{"component":"c"},"message":"${message}"}`,
  );
  const headers = { 'content-type': 'application/json', 'user-agent': 'fabric8-kubernetes-client/8.0.0' };
  expect((await sendHostile(events.handle, { method: 'POST', url, headers, body })).status).toBe(201);
  const slowness = machineSlowness();
  const longest = await longestStretch(async () => {
    for (let index = 0; index < 4; index++) {
      const response = await events.handle({ method: 'GET', url: `${url}?watch=true`, headers });
      for await (const { length } of response?.body as AsyncIterable<Uint8Array>) {
        expect(length).toBeGreaterThan(message.length * 6);
        break;
      }
      await nextTurn();
    }
  });
  await events.close();
  await store.close();
  return longest / slowness;
}

test('hundreds of watches with long selectors do not block the event loop for more than 50 ms', async () => {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > LIMIT_MS; attempt++) least = Math.min(least, await stretch());
  expect(least).toBeLessThanOrEqual(LIMIT_MS);
}, 60_000);

test('watches that are sent in ASCII do not block the event loop for more than 50 ms each', async () => {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > LIMIT_MS; attempt++)
    least = Math.min(least, await asciiStretch());
  expect(least).toBeLessThanOrEqual(LIMIT_MS);
}, 60_000);
