import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse } from '../../../../src/client.js';
import { readBody } from '../../../../src/client/requests/read-body.js';
import { scriptedClient, failureOf } from '../scripted-client.js';

/** A body that yields these texts and then the result of `then`; counts how often it was released. */
function bodyOf(texts: readonly string[], then: () => Promise<IteratorResult<Uint8Array>>) {
  const state = { returned: 0 };
  const rest = [...texts];
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        const text = rest.shift();
        return text === undefined ? then() : Promise.resolve({ done: false, value: new TextEncoder().encode(text) });
      },
      return() {
        state.returned++;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return { body, state };
}

const never = (): Promise<never> => new Promise(() => undefined);
const ended = (): Promise<IteratorResult<Uint8Array>> => Promise.resolve({ done: true, value: undefined });
const ok = (body: ApiResponse['body'], signal?: AbortSignal): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body,
  ...(signal && { signal }),
});

const ONCE = { retries: 0 };
const reason = new Error('enough');

/** Aborted shortly after. */
function soon(): AbortSignal {
  const controller = new AbortController();
  setImmediate(() => setImmediate(() => controller.abort(reason)));
  return controller.signal;
}

describe('a streamed response', () => {
  it('is read to its end', async () => {
    const { body, state } = bodyOf(['{"metadata":', '{"name":"', 'ä"}}'], ended);
    const { client } = scriptedClient([ok(body)]);
    expect((await client.get({ name: 'a' })).metadata.name).toBe('ä');
    expect(state.returned).toBe(0);
  });

  it('may use the memory of its chunks again', async () => {
    const memory = Buffer.alloc(4);
    async function* reusing(): AsyncGenerator<Uint8Array> {
      for (const part of ['abcd', 'efgh', 'ij']) yield memory.subarray(0, memory.write(part));
    }
    const { text } = await readBody({ body: reusing() }, 100, new AbortController().signal);
    expect(text).toBe('abcdefghij');
  });

  it('is released, and rejects with the reason of the signal, when its source never yields', async () => {
    const { body, state } = bodyOf(['{'], never);
    const { client } = scriptedClient([ok(body)], { retry: ONCE });
    expect(await failureOf(client.get({ name: 'a' }, { signal: soon() }))).toBe(reason);
    expect(state.returned).toBe(1);
  });

  it('rejects with the reason of the signal when its source just ends then', async () => {
    const signal = soon();
    const { body } = bodyOf(['{"metadata":{}}'], async () => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { done: true, value: undefined };
    });
    const { client } = scriptedClient([ok(body)], { retry: ONCE });
    expect(await failureOf(client.get({ name: 'a' }, { signal }))).toBe(reason);
  });

  it('is a ConnectionError when the server breaks it off', async () => {
    for (const then of [never, ended]) {
      const { body, state } = bodyOf(['{"metadata":{}}'], then);
      const { client } = scriptedClient([ok(body, AbortSignal.abort(new Error('deadline')))], { retry: ONCE });
      expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'ConnectionError', sent: true });
      expect(state.returned).toBe(1);
    }
  });

  it('is a ConnectionError when the server breaks it off while it is awaited', async () => {
    const { body, state } = bodyOf(['{'], never);
    const { client } = scriptedClient([ok(body, soon())], { retry: ONCE });
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'ConnectionError', sent: true });
    expect(state.returned).toBe(1);
  });

  it('leaves neither a listener at the signal nor a timer of its call', async () => {
    const { client, clock } = scriptedClient([ok(bodyOf(['{"metadata":{}}'], ended).body), ok('{', undefined)]);
    let timers = 0;
    const { setTimer } = clock;
    clock.setTimer = (...call) => {
      const timer = setTimer(...call);
      timers++;
      return { cancel: () => void (timers--, timer.cancel()) };
    };
    const { signal } = new AbortController();
    await client.get({ name: 'a' }, { signal });
    await failureOf(client.get({ name: 'a' }, { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(timers).toBe(0);
  });

  it('is released when it has more than maxResponseBytes', async () => {
    const { body, state } = bodyOf(
      Array.from({ length: 20 }, () => 'x'.repeat(100)),
      never,
    );
    const { client } = scriptedClient([ok(body)], { maxResponseBytes: 1_024 });
    expect((await failureOf(client.get({ name: 'a' }))).message).toBe('the response has more than 1024 bytes');
    expect(state.returned).toBe(1);
  });

  it('is refused unparsed when it has more fields and items than a list of events of maxResponseBytes', async () => {
    const listOf = (item: string, count: number): ApiResponse =>
      ok(`{"metadata":{},"items":[${Array.from({ length: count }, () => item).join(',')}]}`);
    const most = { maxResponseBytes: 12_000_000 };
    const { client } = scriptedClient([listOf('{}', 500_000), listOf('{}', 10)], most);
    const list = client.list();
    expect((await failureOf(list.toArray())).message).toBe('the response has more than 1000000 fields and items');
    expect((await failureOf(list.toArray())).message).toBe(
      'the response is not a list of events: items[0] has no metadata of an event',
    );

    const dense = '{"metadata":{"name":"web-1","labels":{"k0":"","k1":""}},"reason":"Tested","note":"[{,"}';
    const plain = scriptedClient([listOf(dense, 100_000)], most);
    expect(await plain.client.list().toArray()).toHaveLength(100_000);
  });

  it('is released when it comes after the call has ended', async () => {
    const { body, state } = bodyOf([], never);
    let respond: (response: ApiResponse) => void = () => undefined;
    const { client } = scriptedClient([() => new Promise((resolve) => (respond = resolve))], { retry: ONCE });
    expect(await failureOf(client.get({ name: 'a' }, { signal: soon() }))).toBe(reason);
    respond(ok(body));
    await new Promise(setImmediate);
    expect(state.returned).toBe(1);
  });
});

describe('a watch', () => {
  it('ends when its iterator is returned while it waits, whatever its source does', async () => {
    const { body, state } = bodyOf([], never);
    const { client } = scriptedClient([ok(body)]);
    const frames = client.watch()[Symbol.asyncIterator]();
    const next = frames.next();
    await new Promise(setImmediate);
    expect(await frames.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(await frames.next()).toEqual({ done: true, value: undefined });
    expect(state.returned).toBe(1);
  });

  it('requests a WatchList with the parameters of Kubernetes, and bookmarks', async () => {
    const responses = Array.from({ length: 3 }, () => ok(bodyOf([], ended).body));
    const { client, asked } = scriptedClient(responses);
    for (const options of [
      {},
      { sendInitialEvents: true, namespace: null },
      { resourceVersion: '5', allowWatchBookmarks: true, timeoutSeconds: 60, fieldSelector: 'type=Warning' },
    ]) {
      expect(await client.watch(options)[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
    }
    const path = '/apis/events.example.com/v1';
    expect(asked.map(({ line }) => line)).toEqual([
      `GET ${path}/namespaces/default/events?watch=true`,
      `GET ${path}/events?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      `GET ${path}/namespaces/default/events?watch=true&resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=60&fieldSelector=type%3DWarning`,
    ]);
  });

  it('aborts the signal of its request when it is left', async () => {
    const signals: AbortSignal[] = [];
    const line = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a' } } })}\n`;
    const { client } = scriptedClient([
      (request) => {
        signals.push(request.signal as AbortSignal);
        return ok(bodyOf([line], never).body);
      },
    ]);
    for await (const _ of client.watch()) break;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('that was never begun requests nothing when it is returned', async () => {
    const { client, asked } = scriptedClient([]);
    expect(await client.watch()[Symbol.asyncIterator]().return?.()).toEqual({ done: true, value: undefined });
    expect(asked).toEqual([]);
  });

  it('has no deadline once it has begun, and timeoutMs until then', async () => {
    const line = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a' } } })}\n`;
    const { body, state } = bodyOf([], async () => {
      while (clock.monotonic() < 100_000) await new Promise(setImmediate);
      return { done: false, value: new TextEncoder().encode(line) };
    });
    let request: ApiRequest | undefined;
    const begun = (given: ApiRequest): ApiResponse => {
      request = given;
      return ok(body);
    };
    const { client, clock } = scriptedClient([begun, () => never()]);
    const frames = client.watch()[Symbol.asyncIterator]();
    expect((await frames.next()).value).toMatchObject({ type: 'ADDED' });
    expect(request?.signal?.aborted).toBe(false);
    await frames.return?.();
    expect(state.returned).toBe(1);
    expect(await failureOf(client.watch({ timeoutMs: 1_000 })[Symbol.asyncIterator]().next())).toMatchObject({
      name: 'ConnectionError',
      message: 'there was no response within 1000 ms',
    });
  });
});

describe('a body that is a string', () => {
  it.each([
    [20, 'ääääääääää', false],
    [30, 'ääääääääää', false],
    [10, 'äääää', true],
  ])('is read up to %d bytes, not characters', async (limit, text, cut) => {
    const { signal } = new AbortController();
    expect(await readBody({ body: 'ä'.repeat(10) }, limit, signal)).toEqual({ text, cut });
  });
});
