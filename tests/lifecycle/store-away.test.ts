import { describe, expect, test, vi } from 'vitest';
import { storeError } from '../../src/store.js';
import type { EventStore, StoreErrorCode } from '../../src/store.js';
import { sampleEvent } from '../../src/testing.js';
import { event, eventsOfTest, PATH } from './events-api.js';
import { serve } from './support.js';

/** The Event API on a real port, over a store that can be made unavailable. */
async function bench() {
  let failure: StoreErrorCode | undefined;
  let failNextPages = false;
  let breakFeeds: (error: Error) => void = () => undefined;
  const down = async <T>(work: () => Promise<T>): Promise<T> => {
    if (failure !== undefined) throw storeError(failure, 'secret of the engine');
    return work();
  };
  const weak = (store: EventStore): EventStore => ({
    ...store,
    get: (...words) => down(() => store.get(...words)),
    list: (query) => {
      if (failNextPages && query.after !== undefined) failure = 'unavailable';
      return down(() => store.list(query));
    },
    create: (...words) => down(() => store.create(...words)),
    replace: (...words) => down(() => store.replace(...words)),
    remove: (...words) => down(() => store.remove(...words)),
    revision: (...words) => down(() => store.revision(...words)),
    async *changes(options) {
      await down(() => Promise.resolve());
      const broken = new Promise<never>((_, reject) => (breakFeeds = reject));
      broken.catch(() => undefined);
      const feed = store.changes(options)[Symbol.asyncIterator]();
      for (;;) {
        const step = await Promise.race([feed.next(), broken]);
        if (step.done === true) return;
        yield step.value;
      }
    },
  });
  const { events, store } = eventsOfTest({}, weak);
  const { port } = await serve(events.handle);
  const url = `http://127.0.0.1:${port}`;
  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(url + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  return {
    ask,
    store,
    fail: (code: StoreErrorCode | undefined) => void (failure = code),
    failNextPages: () => void (failNextPages = true),
    breakFeeds: () => breakFeeds(storeError('unavailable', 'secret of the engine')),
  };
}

describe('a store that fails, over HTTP', () => {
  const asks: readonly (readonly [string, string, object?])[] = [
    ['GET', `${PATH}/a`],
    ['GET', PATH],
    ['POST', PATH, event('b')],
    ['DELETE', `${PATH}/a`],
  ];

  test.each([
    ['unavailable', 503, 'ServiceUnavailable', '1', /the event store is not available, please try again/],
    ['closed', 503, 'ServiceUnavailable', '1', /apiserver is shutting down/],
    [
      'unknown-outcome',
      504,
      'Timeout',
      null,
      /^Timeout: request did not complete within requested timeout - context deadline exceeded$/,
    ],
    ['too-large', 413, 'RequestEntityTooLarge', null, /larger than the store accepts/],
    ['full', 507, 'InsufficientStorage', '5', /the event store is full/],
    ['expired', 410, 'Expired', null, /too old/],
  ] as const)('responds to %s with %i %s', async (code, status, reason, retryAfter, message) => {
    const { ask, fail } = await bench();
    fail(code);
    for (const [method, path, body] of asks) {
      const response = await ask(method, path, body);
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
      const text = await response.text();
      expect(text).not.toContain('secret');
      const json = JSON.parse(text) as { message: string };
      expect(json).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code: status });
      expect(json.message).toMatch(message);
    }
  });

  test('does not end an open watch: no change is lost or repeated, and no frame mentions it', async () => {
    const { ask, fail, breakFeeds } = await bench();
    const created = (await (await ask('POST', PATH, event('a'))).json()) as { metadata: { resourceVersion: string } };
    const watch = await ask('GET', `${PATH}?watch=1&resourceVersion=${created.metadata.resourceVersion}`);
    const frames: string[] = [];
    const read = (async () => {
      let rest = '';
      for await (const chunk of watch.body ?? []) {
        rest += Buffer.from(chunk as Uint8Array).toString();
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const { type, object } = JSON.parse(line) as { type: string; object: { metadata?: { name?: string } } };
          frames.push(`${type} ${object.metadata?.name}`);
          if (frames.length === 4) return;
        }
      }
    })();
    await ask('POST', PATH, event('b'));
    await vi.waitFor(() => expect(frames).toHaveLength(1));
    fail('unavailable');
    breakFeeds();
    expect((await ask('POST', PATH, event('c'))).status).toBe(503);
    fail(undefined);
    await ask('POST', PATH, event('c'));
    await ask('POST', PATH, event('d'));
    await ask('DELETE', `${PATH}/a`);
    await read;
    expect(frames).toEqual(['ADDED b', 'ADDED c', 'ADDED d', 'DELETED a']);
  });

  test('sends a new watch one ERROR frame', async () => {
    const { ask, fail } = await bench();
    fail('unavailable');
    const watch = await ask('GET', `${PATH}?watch=1`);
    expect(watch.status).toBe(200);
    const lines = (await watch.text()).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 503, reason: 'ServiceUnavailable' },
    });
  });

  test('aborts a list that has begun, so that the client detects the incomplete body', async () => {
    const { ask, failNextPages, store } = await bench();
    for (let i = 0; i < 600; i++) {
      const name = `e-${i}`;
      const expiresAt = Date.now() * 1000 + 3_600_000_000;
      await store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt });
    }
    failNextPages();
    const response = await ask('GET', PATH);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});
