import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.js';
import type { InFlightDependencies } from '../../../src/limits/in-flight.js';

/** An event loop whose turns the test starts, with a clock that stands still. */
export interface FakeLoop extends InFlightDependencies {
  readonly clock: FakeClock;
  /** Runs what was scheduled before, microtasks after each callback. */
  turn(): Promise<void>;
  turns(count: number): Promise<void>;
}

export function fakeLoop(): FakeLoop {
  const clock = fakeClock();
  let asked: (() => void)[] = [];
  const turn = async (): Promise<void> => {
    const callbacks = asked;
    asked = [];
    for (const callback of callbacks) {
      callback();
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return {
    clock,
    atNextTurn: (callback) => void asked.push(callback),
    turn,
    async turns(count) {
      for (let index = 0; index < count; index += 1) await turn();
    },
  };
}
