import { describe, expect, test } from 'vitest';
import { bodyAborted } from '../../../../src/http/body.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { bench, event, path, type Bench } from '../bench.js';

/** Room for one large body at a time: the next one is refused at once. */
const ONE = { bytes: 100, bytesPerCaller: 100, queued: 0 };
const LARGE = 100_000;

/** A create whose client has announced its body, but sends nothing until `sent` is settled. */
function slow({ events }: Bench, sent: Promise<string>, headers: object): Promise<ApiResponse | undefined> {
  const request = { method: 'POST', url: path(), headers: { ...headers }, body: () => sent };
  return Promise.resolve(events.handle(request));
}

function promise() {
  let resolve: (text: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const sent = new Promise<string>((...settle) => ([resolve, reject] = settle));
  return { sent, resolve, reject };
}

const large = (name: string): string => JSON.stringify(event(name, {}, { annotations: { text: 'x'.repeat(LARGE) } }));

describe('the body of a request', () => {
  test.each([
    ['that is large', { 'content-length': String(LARGE) }],
    ['of unknown length', {}],
    ['that claims to be larger than any other', { 'content-length': '1e30' }],
    ['whose length is not a number', { 'content-length': 'abc' }],
  ])('counts while it is read, if it is one %s', async (_what, headers) => {
    const made = bench({ limits: ONE });
    const { sent, resolve } = promise();
    const first = slow(made, sent, headers);
    const refused = await made.ask(`POST ${path()}`, { body: large('b') });
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain('bodies of this caller, or of all callers, take too much memory');
    resolve(JSON.stringify(event('a')));
    expect((await first)?.status).toBe(201);
    expect((await made.ask(`POST ${path()}`, { body: JSON.stringify(event('b')) })).status).toBe(201);
    expect((await made.ask(`POST ${path()}`, { body: large('c') })).status).toBe(201);
  });

  test('that is small does not count, and is not delayed', async () => {
    const made = bench({ limits: ONE });
    const { sent } = promise();
    void slow(made, sent, { 'content-length': '200' });
    void slow(made, sent, { 'content-length': String(LARGE) });
    expect((await made.ask(`POST ${path()}`, { json: event('a') })).status).toBe(201);
  });

  test('counts from one byte more than 64 KiB', async () => {
    const made = bench({ limits: ONE });
    const { sent } = promise();
    void slow(made, sent, { 'content-length': '65536' });
    expect((await made.ask(`POST ${path()}`, { body: large('a') })).status).toBe(201);
    void slow(made, sent, { 'content-length': '65537' });
    expect((await made.ask(`POST ${path()}`, { body: large('b') })).status).toBe(429);
  });

  test('that has none does not count', async () => {
    const made = bench({ limits: ONE });
    await made.create('a');
    void slow(made, promise().sent, { 'content-length': String(LARGE) });
    const response = await made.events.handle({ method: 'DELETE', url: path('/a'), headers: {} });
    expect(response?.status).toBe(200);
  });

  test('gives its capacity to the response', async () => {
    const made = bench({ limits: ONE });
    for (const name of ['a', 'b']) {
      const response = await made.ask(`POST ${path()}`, { body: large(name) });
      expect(response.status).toBe(201);
      await response.text();
    }
  });

  test('does not count any longer when its client has left, or when the deadline has passed', async () => {
    const made = bench({ limits: ONE });
    const { sent, reject } = promise();
    const left = slow(made, sent, { 'content-length': String(LARGE) });
    reject(bodyAborted());
    expect((await left)?.status).toBe(400);
    const late = slow(made, new Promise(() => undefined), { 'content-length': String(LARGE) });
    expect((await made.ask(`POST ${path()}`, { body: large('a') })).status).toBe(429);
    made.clock.advance(60_000);
    expect((await late)?.status).toBe(504);
    made.clock.advance(1_000);
    expect((await made.ask(`POST ${path()}`, { body: large('a') })).status).toBe(201);
  });

  test('is not decoded when its client has left while it waited for its turn', async () => {
    const { events } = bench();
    const left = new AbortController();
    const request = {
      method: 'POST',
      url: path(),
      headers: {},
      body: () => 'no JSON'.repeat(10_000),
      signal: left.signal,
    };
    const response = events.handle({ ...request });
    left.abort();
    expect((await response)?.status).toBe(504);
  });
});
