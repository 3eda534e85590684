import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHealth } from '../../../src/health/create-health.js';
import { createLifecycle } from '../../../src/lifecycle/create-lifecycle.js';
import type { LifecycleOptions } from '../../../src/lifecycle/options.js';
import type { Observation } from '../../../src/observe/observation.js';
import { deferred, get } from '../health/asking.js';
import { manualClock, settle } from '../health/manual-clock.js';

function setup(more: Partial<LifecycleOptions> = {}) {
  const clock = manualClock();
  const steps: string[] = [];
  const health = createHealth({ clock });
  const step = (name: string) => () => void steps.push(name);
  const lifecycle = createLifecycle({
    health,
    clock,
    stopAccepting: step('stopAccepting'),
    endWatches: step('endWatches'),
    drain: step('drain'),
    close: step('close'),
    ...more,
  });
  return { clock, steps, health, lifecycle };
}

describe('createLifecycle', () => {
  it('runs its steps once if a listener of health shuts the service down as well', async () => {
    const { health, lifecycle, steps } = setup();
    const again: Promise<unknown>[] = [];
    health.onChange(() => void again.push(lifecycle.shutdown()));
    const shutdown = lifecycle.shutdown();
    await shutdown;
    expect(steps).toEqual(['stopAccepting', 'endWatches', 'drain', 'close']);
    expect(again.length).toBeGreaterThan(0);
    for (const other of again) expect(other).toBe(shutdown);
  });

  it.each<[object, RegExp]>([
    [{}, /^createLifecycle: health must be the object of createHealth$/],
    [
      { health: {}, shutdownDelayMs: -1, drain: 1, clock: 1 },
      /health must .*; drain must .*; shutdownDelayMs must .*; clock /,
    ],
    [{ health: { startShutdown: () => undefined }, delay: 1 }, /there is no option "delay"/],
    [
      { health: { startShutdown: () => undefined }, drainTimeoutMs: NaN, closeTimeoutMs: Infinity },
      /drainTimeoutMs .*; closeTimeoutMs /,
    ],
  ])('refuses the invalid options %o', (options, message) => {
    expect(() => createLifecycle(options as LifecycleOptions)).toThrow(TypeError);
    expect(() => createLifecycle(options as LifecycleOptions)).toThrow(message);
  });
});

describe('the shutdown sequence', () => {
  it('fails readyz at once, serves through the delay, then stops, ends watches, drains and closes', async () => {
    const { clock, steps, health, lifecycle } = setup({ shutdownDelayMs: 10_000 });
    expect(lifecycle.phase()).toBe('running');
    const ended = lifecycle.shutdown();
    expect((await get(health, '/readyz')).status).toBe(500);
    expect((await get(health, '/livez')).status).toBe(200);
    await clock.advance(9_999);
    expect({ steps, phase: lifecycle.phase() }).toEqual({ steps: [], phase: 'delaying' });
    await clock.advance(1);
    expect(await ended).toEqual({ drained: true, failures: [] });
    expect(steps).toEqual(['stopAccepting', 'endWatches', 'drain', 'close']);
    expect(lifecycle.phase()).toBe('stopped');
    expect((await get(health, '/livez')).status).toBe(200);
    expect(clock.pending()).toBe(0);
  });

  it('runs once, however often it is called', async () => {
    const { steps, lifecycle } = setup();
    const { shutdown } = lifecycle;
    expect(shutdown()).toBe(shutdown());
    await shutdown();
    expect(shutdown()).toBe(shutdown());
    expect(steps).toEqual(['stopAccepting', 'endWatches', 'drain', 'close']);
  });

  it('ends watches without waiting for a server whose close ends with its last connection', async () => {
    const connections = deferred();
    const order: string[] = [];
    const { lifecycle } = setup({
      stopAccepting: () => connections.promise,
      endWatches: () => {
        order.push('endWatches');
        connections.resolve();
      },
      close: () => void order.push('close'),
    });
    expect(await lifecycle.shutdown()).toEqual({ drained: true, failures: [] });
    expect(order).toEqual(['endWatches', 'close']);
  });

  it('gives requests in flight a limit, then reports that and continues', async () => {
    let signal: AbortSignal | undefined;
    const { clock, steps, lifecycle } = setup({
      drainTimeoutMs: 500,
      drain: (context) => {
        signal = context.signal;
        return new Promise(() => undefined);
      },
    });
    const ended = lifecycle.shutdown();
    await clock.advance(499);
    expect({ aborted: signal?.aborted, phase: lifecycle.phase() }).toEqual({ aborted: false, phase: 'draining' });
    await clock.advance(1);
    expect(await ended).toEqual({ drained: false, failures: [] });
    expect(signal?.reason).toEqual(new Error('the drain timeout has passed'));
    expect(steps.at(-1)).toBe('close');
  });

  it('does not abort the signal of requests in flight that finish in time', async () => {
    const aborts: unknown[] = [];
    const { lifecycle } = setup({
      drain: ({ signal }) => signal.addEventListener('abort', () => void aborts.push(signal.reason)),
    });
    expect((await lifecycle.shutdown()).drained).toBe(true);
    expect(aborts).toEqual([]);
  });

  it('reports watches that do not end while requests are in flight, and continues', async () => {
    const { clock, steps, lifecycle } = setup({ drainTimeoutMs: 500, endWatches: () => new Promise(() => undefined) });
    const ended = lifecycle.shutdown();
    await clock.advance(500);
    const { drained, failures } = await ended;
    expect(drained).toBe(false);
    expect(failures).toEqual([{ step: 'endWatches', error: new Error('endWatches took too long and was abandoned') }]);
    expect(steps.at(-1)).toBe('close');
  });

  it('continues after steps that fail, and reports each by its name', async () => {
    const names = ['startShutdown', 'beforeStop', 'stopAccepting', 'endWatches', 'drain', 'close'];
    const seen: Observation[] = [];
    const failing = (name: string) => () => {
      throw new Error(name);
    };
    const { lifecycle } = setup({
      ...Object.fromEntries(names.slice(1).map((name) => [name, failing(name)])),
      health: { startShutdown: failing('startShutdown') },
      stopAccepting: () => Promise.reject(new Error('stopAccepting')),
      observe: (observation) => {
        seen.push(observation);
        throw new Error('hook');
      },
    });
    const { drained, failures } = await lifecycle.shutdown();
    expect(drained).toBe(true);
    expect(failures).toHaveLength(names.length);
    expect(failures).toEqual(expect.arrayContaining(names.map((step) => ({ step, error: new Error(step) }))));
    expect(seen).toEqual(failures.map(({ step, error }) => ({ type: 'error', error, where: `lifecycle: ${step}` })));
  });

  it('waits for beforeStop beyond the delay, but not without limit', async () => {
    const preparation = deferred();
    const { clock, steps, lifecycle } = setup({ shutdownDelayMs: 100, beforeStop: () => preparation.promise });
    const ended = lifecycle.shutdown();
    await clock.advance(1_000);
    expect(steps).toEqual([]);
    preparation.resolve();
    expect((await ended).failures).toEqual([]);

    const stuck = setup({ shutdownDelayMs: 100, drainTimeoutMs: 400, beforeStop: () => new Promise(() => undefined) });
    const left = stuck.lifecycle.shutdown();
    await stuck.clock.advance(500);
    expect((await left).failures).toEqual([
      { step: 'beforeStop', error: new Error('beforeStop took too long and was abandoned') },
    ]);
  });

  it('does not wait for close without limit', async () => {
    const { clock, lifecycle } = setup({ closeTimeoutMs: 300, close: () => new Promise(() => undefined) });
    const ended = lifecycle.shutdown();
    await clock.advance(300);
    expect((await ended).failures).toEqual([
      { step: 'close', error: new Error('close took longer than 300 ms and was abandoned') },
    ]);
    expect(lifecycle.phase()).toBe('stopped');
  });

  it('keeps the process alive while a step hangs, and no longer', async () => {
    const begin = vi.spyOn(globalThis, 'setInterval');
    const end = vi.spyOn(globalThis, 'clearInterval');
    onTestFinished(() => void vi.restoreAllMocks());
    const { clock, lifecycle } = setup({ closeTimeoutMs: 300, close: () => new Promise(() => undefined) });
    const ended = lifecycle.shutdown();
    const timers = begin.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(timers.map((timer) => timer.hasRef())).toEqual([true]);
    await clock.advance(299);
    expect(end).not.toHaveBeenCalled();
    await clock.advance(1);
    await ended;
    expect(end.mock.calls).toEqual([[timers[0]]]);
  });

  it('works without any step', async () => {
    const lifecycle = createLifecycle({ health: createHealth() });
    await settle();
    expect(await lifecycle.shutdown()).toEqual({ drained: true, failures: [] });
  });
});
