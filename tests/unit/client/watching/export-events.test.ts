import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { responseError, statusError, transportClosed } from '../../../../src/client/contract/errors.js';
import type { Clock, ClockTimer } from '../../../../src/clock/clock.js';
import { exportEvents, type ExportEventsOptions } from '../../../../src/client/watching/export-events.js';
import type { Event } from '../../../../src/model/event.js';
import type { Observation } from '../../../../src/observe/observation.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { passOn, settle } from './bench.js';
import { expired, modelServer, type ModelServer } from './model-server.js';

/** A sink that stores data and cursor in one step, and fails on request. */
interface Table {
  readonly rows: string[];
  cursor: string | undefined;
  readonly batches: number[];
  /** How the next writes fail: before anything is stored, or after. */
  readonly faults: ('before' | 'after' | undefined)[];
}

const table = (): Table => ({ rows: [], cursor: undefined, batches: [], faults: [] });
const shown = ({ metadata }: Event): string => `${metadata.name}@${metadata.resourceVersion}`;

function sinkOf(rows: Table): ExportEventsOptions['sink'] {
  return {
    cursor: () => rows.cursor,
    write(batch, cursor) {
      const fault = rows.faults.shift();
      if (fault === 'before') throw new Error('the table is away');
      rows.rows.push(...batch.map(shown));
      rows.batches.push(batch.length);
      rows.cursor = cursor;
      if (fault === 'after') throw new Error('the answer was lost');
    },
  };
}

interface Exporting {
  readonly observed: Observation[];
  readonly done: Promise<void>;
  pass(ms: number): Promise<void>;
  stop(): Promise<void>;
}

async function exporting(
  server: ModelServer,
  options: Pick<ExportEventsOptions, 'sink'> & Partial<ExportEventsOptions>,
): Promise<Exporting> {
  const clock = fakeClock();
  const observed: Observation[] = [];
  const stopping = new AbortController();
  const observe = (observation: Observation): void => void observed.push(observation);
  const done = exportEvents({ client: server.client, clock, observe, signal: stopping.signal, ...options });
  done.catch(() => undefined);
  onTestFinished(() => stopping.abort());
  await settle();
  return {
    ...{ observed, done },
    pass: (ms) => passOn(clock, ms),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

describe('exportEvents', () => {
  it('hands over what exists by revision, then what changes, in batches', async () => {
    const server = modelServer();
    const rows = table();
    for (const name of ['b', 'a', 'c']) server.put(name);
    server.put('b');
    const { pass, stop } = await exporting(server, { sink: sinkOf(rows), batchSize: 2 });
    await pass(1_500);
    expect([rows.rows, rows.batches, rows.cursor]).toEqual([['a@102', 'c@103', 'b@104'], [2, 1], '104']);
    server.put('d');
    server.remove('a');
    await pass(900);
    expect(rows.rows).toHaveLength(3);
    await pass(200);
    expect([rows.rows.at(-1), rows.cursor]).toEqual(['d@105', '105']);
    await stop();
  });

  it('continues after the cursor when it is restarted, also where the server has dropped that history', async () => {
    for (const forgets of [false, true]) {
      const server = modelServer();
      const rows = table();
      for (const name of 'abc') server.put(name);
      const first = await exporting(server, { sink: sinkOf(rows), batchMs: 0 });
      await first.pass(100);
      await first.stop();
      server.put('b');
      server.put('d');
      if (forgets) server.compact();
      const second = await exporting(server, { sink: sinkOf(rows), batchMs: 0 });
      await second.pass(2_000);
      expect(rows.rows).toEqual(['a@101', 'b@102', 'c@103', 'b@104', 'd@105']);
      await second.stop();
    }
  });

  it('hands over what a backup has that is restored between a 410 and the list', async () => {
    const server = modelServer();
    const rows = table();
    const kept = server.put('a');
    for (const name of 'bc') server.put(name);
    const { pass, stop } = await exporting(server, { sink: sinkOf(rows), batchMs: 0 });
    await pass(100);
    const written = { ...kept, metadata: { ...kept.metadata, name: 'd', resourceVersion: '102' } };
    server.cut(expired());
    server.restore(new Map(Object.entries({ a: kept, d: written })), 102);
    await pass(1_000);
    // Some versions may be repeated, and none is missing.
    expect([rows.rows.slice(3), rows.cursor]).toEqual([['a@101', 'd@102'], '102']);
    server.put('e');
    await pass(1_000);
    expect(rows.rows.slice(5)).toEqual(['e@103']);
    await stop();
  });

  it.each([
    ['500', statusError({ reason: 'InternalError', message: 'etcdserver: leader changed' }, 500)],
    ['something else than events', responseError('the response is not a JSON object: <html>', 200)],
  ])('exports every version after a time in which every request got %s', async (_, failure) => {
    const server = modelServer();
    const rows = table();
    server.put('a');
    const { pass } = await exporting(server, { sink: sinkOf(rows), batchMs: 0 });
    await pass(100);
    server.refuse(...Array.from({ length: 6 }, () => failure));
    server.cut();
    server.put('a');
    server.put('a');
    await pass(30_000);
    expect(rows.rows).toEqual(['a@101', 'a@102', 'a@103']);
  });

  it('neither loses nor repeats an event when writes fail, or succeed and report a failure', async () => {
    const server = modelServer();
    const rows = table();
    rows.faults.push('before', 'after', 'before', undefined, 'after');
    for (let count = 0; count < 10; count++) server.put(`a${count}`);
    const { pass, observed } = await exporting(server, { sink: sinkOf(rows), batchSize: 3 });
    await pass(10_000);
    expect(rows.rows).toEqual(Array.from({ length: 10 }, (_, count) => `a${count}@${101 + count}`));
    expect(observed[0]).toMatchObject({ type: 'error', where: 'exportEvents: sink' });
    expect(observed.at(-1)).toMatchObject({ type: 'recovered', where: 'exportEvents: sink' });
  });

  it('reads nothing ahead of a sink that is slow, and waits as long as it requests', async () => {
    const server = modelServer();
    let tries = 0;
    const sink = {
      write: () => {
        tries += 1;
        throw Object.assign(new Error('busy'), { retryAfterMs: 60_000 });
      },
    };
    const { pass, stop } = await exporting(server, { sink, batchSize: 5, batchMs: 0 });
    for (let count = 0; count < 100; count++) server.put(`a${count}`);
    await pass(59_000);
    expect([tries, server.taken() < 10]).toEqual([1, true]);
    await pass(2_000);
    expect(tries).toBe(2);
    await stop();
  });

  it('exports everything again after the revisions of the server went back', async () => {
    const server = modelServer();
    const rows = table();
    server.put('a');
    const backup = new Map(server.events);
    server.put('b');
    server.put('b');
    const { pass } = await exporting(server, { sink: sinkOf(rows), batchMs: 0 });
    await pass(100);
    server.down = true;
    server.cut();
    await pass(500);
    server.restore(backup, 101);
    server.put('c');
    server.down = false;
    await pass(10_000);
    expect(rows.rows).toEqual(['a@101', 'b@103', 'a@101', 'c@102']);
  });

  it('rejects for a permanent refusal, and for an invalid cursor', async () => {
    const refusing = modelServer();
    const forbidden = statusError({}, 403);
    refusing.refuse(forbidden);
    const { done } = await exporting(refusing, { sink: sinkOf(table()) });
    await expect(done).rejects.toBe(forbidden);
    const other = await exporting(modelServer(), { sink: sinkOf({ ...table(), cursor: 'x' }) });
    await expect(other.done).rejects.toThrow('exportEvents: sink.cursor() returned "x", which is not a cursor');
  });

  it.each([
    [5, '5 (number)'],
    [5n, '5 (bigint)'],
    [null, 'null (object)'],
  ])('rejects for a cursor that is not a text: %s', async (cursor, shown) => {
    const server = modelServer();
    const { done } = await exporting(server, { sink: { cursor: () => cursor as never, write: () => undefined } });
    await expect(done).rejects.toThrow(
      new TypeError(`exportEvents: sink.cursor() returned ${shown}, which is not a cursor`),
    );
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['x1', 'resourceVersion x1 is not a number, so events cannot be ordered'],
    [undefined, 'the event shop/a has no resourceVersion, so events cannot be ordered'],
  ])('rejects where the resourceVersion is %s, so that events have no order', async (resourceVersion, message) => {
    const server = modelServer();
    const items = [{ metadata: { name: 'a', namespace: 'shop', resourceVersion } }];
    const page = { items, resourceVersion: resourceVersion ?? '' };
    const list = () => ({ ...server.client.list(), pages: () => Readable.from([page]) });
    const { done } = await exporting(server, { client: { ...server.client, list }, sink: sinkOf(table()) });
    await expect(done).rejects.toThrow(message);
  });

  it('ends when it is aborted while a cursor never comes, at the beginning and before a repeated write', async () => {
    const never = new Promise<never>(() => undefined);
    const first = await exporting(modelServer(), { sink: { cursor: () => never, write: () => undefined } });
    await first.stop();
    const server = modelServer();
    server.put('a');
    let tries = 0;
    let asked = 0;
    const sink = {
      cursor: () => (++asked === 1 ? undefined : never),
      write: () => {
        tries += 1;
        throw new Error('the table is away');
      },
    };
    const second = await exporting(server, { sink, batchMs: 0 });
    await second.pass(5_000);
    expect([asked, tries]).toEqual([2, 1]);
    await second.stop();
  });

  it('leaves no timer when the transport is closed while a batch waits for further events', async () => {
    const clock = fakeClock();
    const timers = new Set<ClockTimer>();
    const setTimer: Clock['setTimer'] = (...given) => {
      const timer = clock.setTimer(...given);
      timers.add(timer);
      return { cancel: () => void (timers.delete(timer), timer.cancel()) };
    };
    const server = modelServer();
    server.put('a');
    const rows = table();
    const { done } = await exporting(server, { sink: sinkOf(rows), batchMs: 60_000, clock: { ...clock, setTimer } });
    server.cut(transportClosed());
    await expect(done).rejects.toThrow('the transport is closed');
    expect([rows.rows, timers.size]).toEqual([[], 0]);
  });

  it('shares one listener of its signal with other exports, also while their sinks fail', async () => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const server = modelServer();
    server.put('a');
    let failures = 0;
    const write = (_batch: unknown, _cursor: unknown, given: { readonly signal: AbortSignal }): void => {
      given.signal.addEventListener('abort', () => undefined);
      failures += 1;
      throw new Error('the table is away');
    };
    const exports = Array.from({ length: 12 }, () => exporting(server, { sink: { write }, batchMs: 0, signal }));
    const all = await Promise.all(exports);
    for (const { pass } of all) await pass(20);
    expect(failures).toBe(12);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    stopping.abort();
    await Promise.all(all.map(({ done }) => done));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('waits, when it is aborted, for the batch that is being written', async () => {
    const server = modelServer();
    server.put('a');
    let written = (): void => undefined;
    const write = (): Promise<void> => new Promise((resolve) => (written = resolve));
    const { pass, stop } = await exporting(server, { sink: { write }, batchMs: 0 });
    await pass(100);
    let hasEnded = false;
    const ended = stop().then(() => (hasEnded = true));
    await settle();
    expect(hasEnded).toBe(false);
    written();
    await ended;
  });

  it('refuses wrong options with all their faults', () => {
    expect(() => exportEvents({ client: modelServer().client, sink: {}, batchSize: 0 } as never)).toThrow(
      'exportEvents: sink must be a sink: an object with write(batch, cursor); batchSize must be a whole number from 1 to 10000',
    );
  });
});

describe('An export among faults on both sides and restarts of its own', () => {
  it('hands over every version that can be had exactly once, in order', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), name: fc.constantFrom('a', 'b', 'c') }) },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constantFrom('before', 'after', 'cut', 'lose', 'compact', 'restart', 'pass') }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const server = modelServer();
        const rows = table();
        const start = (): Promise<Exporting> => exporting(server, { sink: sinkOf(rows), batchSize: 3 });
        let running = await start();
        for (const one of steps) {
          if (one.do === 'put') server.put('name' in one ? one.name : '');
          else if (one.do === 'before' || one.do === 'after') rows.faults.push(one.do);
          else if (one.do === 'cut') server.cut();
          else if (one.do === 'lose') server.lose();
          else if (one.do === 'compact') server.compact();
          else if (one.do === 'pass') await running.pass(3_000);
          else {
            await running.stop();
            running = await start();
          }
          await settle();
        }
        await running.pass(400_000);
        await running.stop();
        const revisions = rows.rows.map((row) => Number(row.split('@')[1]));
        expect(revisions).toEqual([...new Set(revisions)].sort((one, other) => one - other));
        // What still exists has been exported in its last version.
        expect(rows.rows).toEqual(expect.arrayContaining([...server.events.values()].map(shown)));
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});
