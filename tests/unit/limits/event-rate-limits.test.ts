import { describe, expect, it } from 'vitest';
import {
  createEventRateLimits,
  eventRateLimits,
  type EventRateLimit,
  type EventRateLimits,
} from '../../../src/limits/event-rate-limits.js';
import type { Event } from '../../../src/model/event.js';
import { heapGrowth } from '../../collect-garbage.js';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.js';

const EVENT: Event = {
  metadata: { name: 'a', namespace: 'shop' },
  deprecatedSource: { component: 'kubelet', host: 'node-1' },
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'u-1', apiVersion: 'v1' },
  reportingController: 'example.com/other',
};
const WRITE = { namespace: 'shop', user: 'jane', event: EVENT };

function limits(...list: readonly EventRateLimit[]): { readonly rates: EventRateLimits; readonly clock: FakeClock } {
  const clock = fakeClock();
  return { rates: createEventRateLimits(list, clock), clock };
}

describe('a token bucket', () => {
  it('allows a burst, then as many events a second as tokens are refilled', () => {
    const { rates, clock } = limits({ type: 'Server', qps: 2, burst: 3 });
    const allowed = (): number => {
      let count = 0;
      while (rates.debit(WRITE) === undefined) count += 1;
      return count;
    };
    expect(allowed()).toBe(3);
    clock.advance(499);
    expect(allowed()).toBe(0);
    clock.advance(1);
    expect(allowed()).toBe(1);
    clock.advance(60_000);
    expect(allowed()).toBe(3);
  });

  it('is not filled by a wall clock that jumps', () => {
    const { rates, clock } = limits({ type: 'Server', qps: 1, burst: 1 });
    expect(rates.debit(WRITE)).toBeUndefined();
    clock.setNow(clock.now() + 3_600_000_000);
    expect(rates.debit(WRITE)).toBeDefined();
  });

  it('is dropped when too many other keys were used since, and begins full then', () => {
    const { rates } = limits({ type: 'User', qps: 0.001, burst: 1, cacheSize: 2 });
    const by = (user: string): boolean => rates.debit({ ...WRITE, user }) === undefined;
    expect([by('a'), by('b'), by('a'), by('c'), by('a'), by('b')]).toEqual([true, true, false, true, false, true]);
  });
});

describe('the types of limits', () => {
  it.each([
    ['Server', ''],
    ['Namespace', 'shop'],
    ['User', 'jane'],
    ['SourceAndObject', 'kubeletnode-1Podshopweb-1u-1v1'],
  ] as const)('count by a key: %s by "%s"', (type, key) => {
    const { rates } = limits({ type, qps: 0.5, burst: 1 });
    expect(rates.debit(WRITE)).toBeUndefined();
    expect(rates.debit(WRITE)).toEqual({
      text: `limit reached on type ${type} for key ${key}`,
      retryAfterSeconds: 2,
    });
  });

  it('do not affect other namespaces, users and objects', () => {
    const { rates } = limits(
      { type: 'Namespace', qps: 1, burst: 1 },
      { type: 'User', qps: 1, burst: 1 },
      { type: 'SourceAndObject', qps: 1, burst: 1 },
    );
    rates.debit(WRITE);
    const other = { ...EVENT, regarding: { ...EVENT.regarding, uid: 'u-2' } };
    expect(rates.debit({ namespace: 'other', user: 'bob', event: other })).toBeUndefined();
  });

  it('count newer events, which have no source, by their object alone', () => {
    const { rates } = limits({ type: 'SourceAndObject', qps: 1, burst: 1 });
    const newer = (reportingController: string): Event => ({
      metadata: {},
      reportingController,
      regarding: { kind: 'Pod', name: 'web-1' },
    });
    expect(rates.debit({ ...WRITE, event: newer('a') })).toBeUndefined();
    expect(rates.debit({ ...WRITE, event: newer('b') })?.text).toBe(
      'limit reached on type SourceAndObject for key Podweb-1',
    );
  });
});

it('events without a source and an object share one limit by source and object', () => {
  const { rates } = limits({ type: 'SourceAndObject', qps: 1, burst: 1 });
  const bare = { ...WRITE, event: { metadata: { name: 'a' } } };
  expect(rates.debit(bare)).toBeUndefined();
  expect(rates.debit({ ...WRITE, event: { metadata: { name: 'b' } } })?.text).toBe(
    'limit reached on type SourceAndObject for key ',
  );
});

describe('several limits', () => {
  it('each use a token, also where another one refuses', () => {
    const { rates } = limits({ type: 'Server', qps: 0.001, burst: 1 }, { type: 'User', qps: 0.001, burst: 2 });
    expect(rates.debit(WRITE)).toBeUndefined();
    expect(rates.debit(WRITE)?.text).toBe('limit reached on type Server for key ');
    expect(rates.debit(WRITE)?.text).toBe(
      '[limit reached on type Server for key , limit reached on type User for key jane]',
    );
  });

  it('report equal texts once, and the longest wait', () => {
    const { rates } = limits({ type: 'Server', qps: 0.1, burst: 1 }, { type: 'Server', qps: 1, burst: 1 });
    rates.debit(WRITE);
    expect(rates.debit(WRITE)).toEqual({ text: 'limit reached on type Server for key ', retryAfterSeconds: 10 });
  });
});

it('keys of unbounded length are truncated before they are kept', () => {
  const { rates } = limits({ type: 'SourceAndObject', qps: 1, burst: 1 });
  const long = { ...WRITE, event: { metadata: {}, regarding: { name: 'x'.repeat(1_000_000) } } };
  rates.debit(long);
  expect(rates.debit(long)?.text.length).toBeLessThan(1_200);
});

it('nothing of a long text is kept, except for the truncated key', async () => {
  const { rates } = limits({ type: 'SourceAndObject', qps: 1, burst: 1 });
  const grown = await heapGrowth(() => {
    for (let i = 0; i < 9; i++) {
      rates.debit({ ...WRITE, event: { metadata: {}, regarding: { name: `${i}${'x'.repeat(2_000_000)}` } } });
    }
  });
  expect(grown).toBeLessThan(9_000_000);
});

it('all faults of the configuration are reported', () => {
  const faults = (value: unknown): readonly string[] => eventRateLimits()(value, 'eventRateLimits');
  expect(faults({})).toEqual(['eventRateLimits must be a list']);
  expect(faults([{ type: 'User', qps: 1, burst: 1, cacheSize: 1 }])).toEqual([]);
  expect(faults([null, { type: 'Users', qps: 0, burst: 1.5, cacheSize: 0, max: 1 }])).toEqual([
    'eventRateLimits[0] must be an object',
    "eventRateLimits[1].type must be 'Server' or 'Namespace' or 'User' or 'SourceAndObject'",
    'eventRateLimits[1].qps must be a number above 0',
    'eventRateLimits[1].burst must be a whole number of at least 1',
    'eventRateLimits[1].cacheSize must be a whole number of at least 1',
    'there is no option "eventRateLimits[1].max" (did you mean one of type, qps, burst, cacheSize?)',
  ]);
});
