import { describe, expect, it } from 'vitest';
import { createLifecycle } from '../../../src/lifecycle/create-lifecycle.js';
import type { LifecycleOptions } from '../../../src/lifecycle/options.js';
import { manualClock } from '../health/manual-clock.js';

/** The defaults and bounds of the options of a lifecycle. */

const health = { startShutdown: (): void => undefined };
const never = (): Promise<void> => new Promise(() => undefined);

describe('a lifecycle without options', () => {
  it('has no delay, drains for 60,000 ms and closes for 10,000 ms', async () => {
    const clock = manualClock();
    let cut: AbortSignal | undefined;
    const lifecycle = createLifecycle({
      health,
      clock,
      drain: ({ signal }) => {
        cut = signal;
        return never();
      },
      close: never,
    });
    const ended = lifecycle.shutdown();
    await clock.advance(0);
    expect(lifecycle.phase()).toBe('draining');
    await clock.advance(59_999);
    expect([lifecycle.phase(), cut?.aborted]).toEqual(['draining', false]);
    await clock.advance(1);
    expect([lifecycle.phase(), cut?.aborted]).toEqual(['closing', true]);
    await clock.advance(9_999);
    expect(lifecycle.phase()).toBe('closing');
    await clock.advance(1);
    expect(await ended).toEqual({
      drained: false,
      failures: [{ step: 'close', error: new Error('close took longer than 10000 ms and was abandoned') }],
    });
    expect(lifecycle.phase()).toBe('stopped');
  });

  it('waits for beforeStop no longer than for the requests in flight', async () => {
    const clock = manualClock();
    const lifecycle = createLifecycle({ health, clock, beforeStop: never });
    const ended = lifecycle.shutdown();
    await clock.advance(59_999);
    expect(lifecycle.phase()).toBe('delaying');
    await clock.advance(1);
    expect((await ended).failures.map(({ step }) => step)).toEqual(['beforeStop']);
  });
});

it.each(['shutdownDelayMs', 'drainTimeoutMs', 'closeTimeoutMs'] as const)(
  'the option %s is a number from 0 to a day',
  (name) => {
    for (const value of [0, 86_400_000]) expect(() => createLifecycle({ health, [name]: value })).not.toThrow();
    for (const value of [-1, 86_400_001, '5', null]) {
      const options = { health, [name]: value } as unknown as LifecycleOptions;
      expect(() => createLifecycle(options)).toThrow(`${name} must be a number from 0 to 86400000`);
    }
  },
);
