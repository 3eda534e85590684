import { describe, expect, onTestFinished, test } from 'vitest';
import { readListOptions } from '../../../src/api/options/list-options.js';
import type { FrameEncoder } from '../../../src/api/representation/contract.js';
import type { Selector } from '../../../src/api/selectors/contract.js';
import { readSelection } from '../../../src/events/listing/list-query.js';
import { WatchStream } from '../../../src/events/watching/watch-stream.js';
import { createWatchHub } from '../../../src/store/watch/watch-hub.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { path, plainEncoder, settled, verbBench } from './bench.js';

const FAR = Number.MAX_SAFE_INTEGER;
const WATCHERS = 50;
/** The least time between two wake-ups of that many watchers. */
const PACE_MS = 2;

type VerbBench = ReturnType<typeof verbBench>;

/** Counts of encoded frames and of evaluations of the selector, and an encoder that counts. */
function counted(cacheKey: string): {
  readonly made: { frames: number; matches: number };
  readonly encoder: FrameEncoder;
} {
  const made = { frames: 0, matches: 0 };
  const encoder: FrameEncoder = {
    cacheKey,
    encode(type, json) {
      made.frames++;
      return plainEncoder.encode(type, json);
    },
  };
  return { made, encoder };
}

function watching(
  bench: VerbBench,
  query: string,
  { made, encoder }: ReturnType<typeof counted>,
): AsyncIterator<Uint8Array> {
  const call = bench.call(`GET ${path()}?watch=1&${query}`);
  const options = readListOptions(call.query);
  const selector = readSelection(call, options);
  const counting: Selector = {
    ...selector,
    matches(event) {
      made.matches++;
      return selector.matches(event);
    },
  };
  const selection = { selector: counting, key: options.labelSelector };
  return new WatchStream({ call, options, selection, encoder }, () => undefined).frames[Symbol.asyncIterator]();
}

async function write(bench: VerbBench, count: number, note?: string): Promise<void> {
  const first = await bench.store.revision();
  for (let index = 0; index < count; index++) {
    const name = `event-${first}-${index}`;
    const event = sampleEvent({ name, labels: { app: index % 2 === 0 ? 'web' : 'db' }, ...(note && { note }) });
    await bench.store.create({ namespace: 'default', name }, event, { expiresAt: FAR });
  }
}

describe('equal watchers', () => {
  test('share the evaluation of their selector, the frames, and the chunk', async () => {
    const bench = verbBench();
    const from = `resourceVersion=${await bench.store.revision()}`;
    const all = counted('json');
    const web = counted('json');
    const watchers = Array.from({ length: WATCHERS }, (_, index) =>
      index % 2 === 0 ? watching(bench, from, all) : watching(bench, `${from}&labelSelector=app%3Dweb`, web),
    );
    const waiting = watchers.map((watcher) => watcher.next());
    await settled();
    await write(bench, 10);
    bench.clock.advance(PACE_MS);
    const chunks = (await Promise.all(waiting)).map(({ value }) => value as Uint8Array);
    expect(new Set(chunks).size).toBe(2);
    expect(all.made).toEqual({ frames: 10, matches: 10 });
    // Their frames were there already.
    expect(web.made).toEqual({ frames: 0, matches: 10 });
  });

  test('have separate frames for another representation, made once', async () => {
    const bench = verbBench();
    const from = `resourceVersion=${await bench.store.revision()}`;
    const one = counted('json');
    const other = counted('table');
    const watchers = Array.from({ length: WATCHERS }, (_, index) =>
      watching(bench, from, index % 2 === 0 ? one : other),
    );
    const waiting = watchers.map((watcher) => watcher.next());
    await settled();
    await write(bench, 10);
    bench.clock.advance(PACE_MS);
    await Promise.all(waiting);
    expect([one.made, other.made]).toEqual([
      { frames: 10, matches: 10 },
      { frames: 10, matches: 10 },
    ]);
  });

  test('share what they read in catch-up', async () => {
    const bench = verbBench();
    const from = `resourceVersion=${await bench.store.revision()}`;
    const hub = createWatchHub({ store: bench.store, clock: bench.clock });
    onTestFinished(() => hub.close());
    const tardy: VerbBench = {
      ...bench,
      call: (...args) => ({ ...bench.call(...args), dependencies: { ...bench.dependencies, hub } }),
    };
    await write(bench, 300);
    // The hub's ring begins only now.
    const some = counted('json');
    hub.watch({ after: await bench.store.revision(), waker: { wake: () => undefined } });
    await settled();
    const watchers = Array.from({ length: WATCHERS }, () => watching(tardy, from, some));
    let bytes = 0;
    for (let round = 0; round < 20 && some.made.frames < 300; round++) {
      const chunks = await Promise.all(watchers.map((watcher) => watcher.next()));
      expect(new Set(chunks.map(({ value }) => value as Uint8Array)).size).toBe(1);
      bytes += (chunks[0]?.value as Uint8Array).length;
    }
    expect(some.made).toEqual({ frames: 300, matches: 300 });
    expect(bytes).toBeGreaterThan(300 * 100);
  });
});

test('a frame that cannot be made aborts the streams that need it, and no others', async () => {
  const reported: unknown[] = [];
  const bench = verbBench();
  const hub = createWatchHub({ store: bench.store, clock: bench.clock, observe: (one) => void reported.push(one) });
  onTestFinished(() => hub.close());
  const tried: VerbBench = {
    ...bench,
    call: (...args) => ({ ...bench.call(...args), dependencies: { ...bench.dependencies, hub } }),
  };
  const from = `resourceVersion=${await bench.store.revision()}`;
  const sound = counted('json');
  const broken = counted('broken');
  const failing: FrameEncoder = {
    cacheKey: 'broken',
    encode: () => {
      throw new RangeError('cannot be encoded');
    },
  };
  const before = watching(tried, from, sound);
  const bad = watching(tried, from, { made: broken.made, encoder: failing });
  const after = watching(tried, from, sound);
  const steps = [before.next(), bad.next(), after.next()];
  steps[1]?.catch(() => undefined);
  await settled();
  await write(bench, 1);
  await expect(steps[1]).rejects.toThrow('cannot be encoded');
  for (const step of [steps[0], steps[2]]) expect((await step)?.done).toBe(false);
  expect(hub.watchers).toBe(2);
  expect(reported).toEqual([]);
});

describe('a watcher that stopped reading', () => {
  test.each([
    ['small', undefined, 128],
    ['large', 'x'.repeat(50_000), 3],
  ])('has at most one batch of frames encoded for it, however many %s events come', async (_, note, most) => {
    const bench = verbBench();
    const from = `resourceVersion=${await bench.store.revision()}`;
    const own = counted('its own');
    const others = counted('others');
    const stopped = watching(bench, from, own);
    const reader = watching(bench, from, others);
    for (let round = 0; round < 5; round++) {
      const wanted = others.made.frames + 40;
      await write(bench, 40, note);
      while (others.made.frames < wanted) await reader.next();
    }
    expect(own.made.frames).toBe(0);
    const step = await stopped.next();
    expect(own.made.frames).toBeLessThanOrEqual(most);
    expect((step.value as Uint8Array).length).toBeLessThan(131_072 + 60_000);
    await write(bench, 100, note);
    await settled();
    expect(own.made.frames).toBeLessThanOrEqual(most);
  });
});

describe('a watch from an old revision', () => {
  test('skips irrelevant changes in steps, and is sent the changes after them', async () => {
    const bench = verbBench();
    const from = `resourceVersion=${await bench.store.revision()}`;
    const keeping = watching(bench, from, counted('json'));
    void keeping.next();
    await settled();
    await write(bench, 3_000);
    await settled();
    const none = counted('json');
    const watcher = watching(bench, `${from}&labelSelector=app%3Dlast`, none);
    const next = watcher.next();
    const looked: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      looked.push(none.made.matches);
    }
    const steps = looked.map((matches, turn) => matches - (looked[turn - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(1_024);
    expect(looked.at(-1)).toBe(3_000);
    const event = sampleEvent({ name: 'last', labels: { app: 'last' } });
    await bench.store.create({ namespace: 'default', name: 'last' }, event, { expiresAt: FAR });
    await settled();
    bench.clock.advance(PACE_MS);
    expect(new TextDecoder().decode((await next).value as Uint8Array)).toContain('"name":"last"');
  });
});
