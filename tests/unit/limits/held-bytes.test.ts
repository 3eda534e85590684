import { describe, expect, it } from 'vitest';
import type { HeldBytes } from '../../../src/limits/response-bytes.js';
import { createInFlightLimits } from '../../../src/limits/in-flight.js';
import { readInFlightLimits, type InFlightLimitOptions } from '../../../src/limits/in-flight-options.js';
import type { Caller } from '../../../src/model/caller.js';
import { fakeLoop, type FakeLoop } from './loop.js';

const jane = { name: 'jane', groups: ['system:authenticated'] };
const bob = { name: 'bob', groups: ['system:authenticated'] };
const admin = { name: 'admin', groups: ['system:masters'] };

interface Asked {
  outcome: 'waits' | 'refused' | 'inside';
  held: HeldBytes | undefined;
}

function bench(options: InFlightLimitOptions): FakeLoop & {
  hold(bytes: number, caller: Caller, client?: { aborted: boolean }): Asked;
} {
  const loop = fakeLoop();
  const limits = createInFlightLimits(options, loop);
  return {
    ...loop,
    hold(bytes, caller, client = { aborted: false }) {
      const asked: Asked = { outcome: 'waits', held: undefined };
      const onHeld = (held: HeldBytes | undefined): void => {
        asked.outcome = held === undefined ? 'refused' : 'inside';
        asked.held = held;
      };
      const held = limits.hold(bytes, caller, client);
      if (held instanceof Promise) void held.then(onHeld);
      else onHeld(held);
      return asked;
    },
  };
}

describe('bytes of unread responses', () => {
  it('are limited to 256 MiB in all and a quarter of that for one caller, by default', () => {
    expect(readInFlightLimits({})).toMatchObject({ bytes: 268_435_456, bytesPerCaller: 67_108_864 });
    expect(readInFlightLimits({ bytes: 1_000 })).toMatchObject({ bytes: 1_000, bytesPerCaller: 250 });
    expect(readInFlightLimits({ bytesPerCaller: 7 })).toMatchObject({ bytes: 268_435_456, bytesPerCaller: 7 });
  });

  it('may exceed the limit of a caller with one response, and the next waits', async () => {
    const { hold, turns } = bench({ bytesPerCaller: 100 });
    const first = hold(80, jane);
    const second = hold(80, jane);
    const third = hold(1, jane);
    await turns(3);
    expect([first.outcome, second.outcome, third.outcome]).toEqual(['inside', 'inside', 'waits']);
    first.held?.release();
    first.held?.release();
    await turns(3);
    expect(third.outcome).toBe('inside');
  });

  it('of one caller leave capacity for others', async () => {
    const { hold, turns } = bench({ bytes: 400 });
    hold(100, jane);
    expect(hold(1, jane).outcome).toBe('waits');
    await turns(2);
    expect(hold(50, bob).outcome).toBe('inside');
  });

  it('are limited for all callers together, and released to waiting requests', async () => {
    const { hold, turns } = bench({ bytes: 100, bytesPerCaller: 90 });
    const first = hold(100, jane);
    const second = hold(10, bob);
    await turns(3);
    expect(second.outcome).toBe('waits');
    first.held?.release();
    await turns(3);
    expect(second.outcome).toBe('inside');
  });

  it('are refused after queueWaitMs, and at once if no request may wait', async () => {
    const { hold, turns, clock } = bench({ bytesPerCaller: 100, queueWaitMs: 1_000 });
    hold(100, jane);
    const waiting = hold(1, jane);
    clock.advance(900);
    await turns(2);
    expect(waiting.outcome).toBe('waits');
    clock.advance(400);
    await turns(2);
    expect(waiting.outcome).toBe('refused');

    const strict = bench({ bytesPerCaller: 100, queued: 0 });
    strict.hold(100, jane);
    const refused = strict.hold(1, jane);
    await strict.turns(2);
    expect(refused.outcome).toBe('refused');
  });

  it('are not counted for a request that has ended', async () => {
    const { hold, turns, clock } = bench({ bytesPerCaller: 100 });
    const first = hold(100, jane);
    const client = { aborted: false };
    const gone = hold(100, jane, client);
    client.aborted = true;
    clock.advance(500);
    await turns(3);
    expect(gone.outcome).toBe('refused');
    first.held?.release();
    expect(hold(1, jane).outcome).toBe('inside');
  });

  it('are corrected to the size of the response, and free capacity if that is less', async () => {
    const { hold, turns } = bench({ bytesPerCaller: 100 });
    const first = hold(100, jane);
    const second = hold(10, jane);
    await turns(2);
    expect(second.outcome).toBe('waits');
    first.held?.become(50);
    await turns(2);
    expect(second.outcome).toBe('inside');
    second.held?.become(70);
    expect(hold(1, jane).outcome).toBe('waits');
  });

  it('of a response that is being gathered are unlimited if it is the only one, and limited beside others', () => {
    const { hold } = bench({ bytesPerCaller: 100 });
    const alone = hold(1, jane);
    expect(alone.held?.grow(1_000)).toBe(true);
    const { hold: holdBeside } = bench({ bytesPerCaller: 100 });
    const first = holdBeside(1, jane);
    const second = holdBeside(1, jane);
    expect(first.held?.grow(150)).toBe(true);
    expect(second.held?.grow(2)).toBe(false);
    expect(first.held?.grow(200)).toBe(true);
    first.held?.release();
    expect(second.held?.grow(2)).toBe(true);
  });

  it('do not grow any more once they were released', () => {
    const { hold } = bench({ bytesPerCaller: 100 });
    const first = hold(10, jane);
    first.held?.release();
    first.held?.become(1_000);
    expect(hold(1, jane).outcome).toBe('inside');
  });

  it('are never refused to system:masters, and not counted', () => {
    const { hold } = bench({ bytes: 100 });
    const all = Array.from({ length: 5 }, () => hold(100, admin));
    expect(new Set(all.map(({ outcome }) => outcome))).toEqual(new Set(['inside']));
    expect(all[0]?.held?.grow(1_000)).toBe(true);
    expect(hold(1, jane).outcome).toBe('inside');
  });
});
