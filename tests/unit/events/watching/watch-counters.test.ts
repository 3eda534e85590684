import { describe, expect, test } from 'vitest';
import type { Observation } from '../../../../src/observe/observation.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { bench, path, settled, type Bench } from '../bench.js';

const WATCH = {
  caller: 'tester',
  group: 'events.example.com',
  version: 'v1',
  namespace: 'default',
  scope: 'namespace',
};

const watches = ({ observed }: Bench): Observation[] =>
  observed.filter(({ type }) => type === 'watch.started' || type === 'watch.ended');

describe('an observer of watches', () => {
  test('receives who watches what, when a watch starts', async () => {
    const made = bench();
    await made.ask(`GET ${path('?watch=true')}`);
    expect(watches(made)).toEqual([{ type: 'watch.started', ...WATCH }]);
  });

  test('receives the frames, the bytes, the duration and the reason, when a watch ends', async () => {
    const made = bench();
    const client = new AbortController();
    made.clock.advance(700);
    const revision = await made.revision();
    const watch = await made.ask(`GET ${path(`?watch=true&resourceVersion=${revision}`)}`, { signal: client.signal });
    const text = watch.text();
    await made.create('a');
    await settled();
    made.clock.advance(1_500);
    client.abort();
    const bytes = (await text).length;
    expect(bytes).toBeGreaterThan(100);
    expect(watches(made)[1]).toEqual({
      type: 'watch.ended',
      reason: 'aborted',
      frames: 1,
      bytes,
      durationMs: 1_500,
      ...WATCH,
    });
  });

  test('can distinguish a watch that has timed out from one whose client has left while it waited', async () => {
    const made = bench();
    const client = new AbortController();
    const query = `?watch=true&resourceVersion=${await made.revision()}`;
    const ends = [
      await made.ask(`GET ${path(query)}`, { signal: client.signal }),
      await made.ask(`GET ${path(`${query}&timeoutSeconds=5`)}`),
    ].map((watch) => watch.text());
    await settled();
    client.abort();
    made.clock.advance(5_000);
    await Promise.all(ends);
    const reasons = made.observed.flatMap((one) => (one.type === 'watch.ended' ? [one.reason] : []));
    expect(reasons).toEqual(['aborted', 'timeout']);
  });

  test('can recognise a watch whose service has closed', async () => {
    const made = bench();
    const end = (await made.ask(`GET ${path(`?watch=true&resourceVersion=${await made.revision()}`)}`)).text();
    await settled();
    await made.events.close();
    await end;
    expect(watches(made)[1]).toMatchObject({ type: 'watch.ended', reason: 'feed', frames: 0, bytes: 0 });
  });

  test('can recognise a watch that has failed', async () => {
    const away = (): Promise<never> => Promise.reject(storeError('unavailable', 'away'));
    const made = bench({}, (store) => ({ ...store, list: away }));
    expect(await (await made.ask(`GET ${path('?watch=true')}`)).text()).toContain('"code":503');
    expect(watches(made)[1]).toMatchObject({ type: 'watch.ended', reason: 'error', frames: 0, bytes: 0 });
  });
});

test.each([
  ['the code of a bridge', Object.assign(new Error('away'), { code: 'client-left' }), 'client-left'],
  ['a code of another module', Object.assign(new Error('away'), { code: 'ECONNRESET' }), 'aborted'],
  ['the name of an inherited member', { code: 'constructor' }, 'aborted'],
  ['no error', 'away', 'aborted'],
])('an observer receives %s, or that the watch was aborted', async (_what, why, reason) => {
  const made = bench();
  const client = new AbortController();
  const watch = await made.ask(`GET ${path('?watch=true')}`, { signal: client.signal });
  client.abort(why);
  await watch.text();
  expect(watches(made)[1]).toMatchObject({ reason });
});
