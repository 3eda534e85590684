import { describe, expect, it } from 'vitest';
import { createFailureSeries } from '../../../src/observe/failure-series.js';
import type { Observation } from '../../../src/observe/observation.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

function series() {
  const observed: string[] = [];
  const clock = fakeClock();
  const notify = (observation: Observation): void => {
    if (observation.type === 'error') observed.push(`${(observation.error as Error).message} ${observation.count}`);
    if (observation.type === 'recovered') observed.push(`recovered ${observation.count} ${observation.durationMs}`);
  };
  const { failed, worked } = createFailureSeries('here', notify, clock);
  return {
    observed,
    clock,
    worked,
    fail: (...reasons: string[]) => reasons.forEach((each) => failed(new Error(each))),
  };
}

describe('A series of failures', () => {
  it('reports each reason once, also where reasons alternate or differ in numbers, and the recovery', () => {
    const { observed, clock, worked, fail } = series();
    clock.advance(300);
    fail('reset', 'refused', 'reset', 'refused', 'port 80', 'reset', 'port 81');
    clock.advance(700);
    worked();
    worked();
    expect(observed).toEqual(['reset 1', 'refused 2', 'port 80 5', 'recovered 7 700']);
  });

  it('reports a reason again after the work has succeeded', () => {
    const { observed, worked, fail } = series();
    fail('reset', 'refused');
    worked();
    fail('refused', 'reset');
    expect(observed).toEqual(['reset 1', 'refused 2', 'recovered 2 0', 'refused 1', 'reset 2']);
  });

  it('keeps the eight latest reasons', () => {
    const { observed, fail } = series();
    fail(...'abcdefgh', ...'abcdefgh', 'a', 'i');
    expect(observed.map(([reason]) => reason).join('')).toBe('abcdefghi');
    // The one that has not come for longest was b.
    fail('a', ...'cdefgh', 'i', 'b');
    expect(observed.map(([reason]) => reason).join('')).toBe('abcdefghib');
  });
});
