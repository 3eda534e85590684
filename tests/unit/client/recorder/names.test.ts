import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subdomainErrors } from '../../../../src/api/validation/names.js';
import type { Event } from '../../../../src/index.js';
import { createEventNames } from '../../../../src/client/recorder/names.js';

const aboutObject = (name?: string): Event => ({ metadata: {}, regarding: { name } });

describe('the name of an event', () => {
  it('is a DNS subdomain, whatever its object is called', () => {
    const names = createEventNames();
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('-', '.', 'a', 'Z', '_') }),
          fc.string({ minLength: 300 }),
        ),
        (about) => {
          expect(subdomainErrors(names(aboutObject(about), 1_704_067_200_000_000))).toEqual([]);
        },
      ),
    );
    expect(names(aboutObject(), 0)).toMatch(/^event\./);
    // This letter becomes two in lower case.
    expect(subdomainErrors(names(aboutObject('İ'.repeat(200)), 1_704_067_200_000_000))).toEqual([]);
  });

  it('consists of the name of its object and the time in nanoseconds, of which the last six digits are random', () => {
    const micros = 1_704_067_200_123_456;
    const [name, time] = createEventNames()(aboutObject('web-1'), micros).split('.');
    expect(name).toBe('web-1');
    expect(BigInt(`0x${time}`) / 1_000_000n).toBe(1_704_067_200_123n);
    expect(createEventNames()(aboutObject('web-1'), micros)).not.toBe(createEventNames()(aboutObject('web-1'), micros));
  });

  it('is used once, also while the clock stands still or goes back', () => {
    const names = createEventNames();
    const used = new Set<string>();
    for (let at = 0; at < 30_000; at++) used.add(names(aboutObject('a'), 1_704_067_200_000_000 - (at % 3) * 1_000));
    expect(used.size).toBe(30_000);
  });
});
