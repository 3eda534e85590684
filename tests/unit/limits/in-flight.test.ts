import { describe, expect, it } from 'vitest';
import { createInFlightLimits } from '../../../src/limits/in-flight.js';
import { tooManyRequestsText } from '../../../src/limits/too-many-requests.js';

const jane = { name: 'jane', groups: ['system:authenticated'] };
const bob = { name: 'bob', groups: ['system:authenticated'] };
const admin = { name: 'admin', groups: ['system:masters'] };

describe('createInFlightLimits', () => {
  it('counts reads and writes apart and gives places back', () => {
    const limits = createInFlightLimits({ reads: 1, writes: 1 });
    const read = limits.enterRequest('read', jane);
    expect(read).toBeTypeOf('function');
    expect(limits.enterRequest('read', bob)).toBeUndefined();
    expect(limits.enterRequest('write', bob)).toBeTypeOf('function');
    read?.();
    expect(limits.enterRequest('read', bob)).toBeTypeOf('function');
  });

  it('gives a place back once, however often it is released', () => {
    const limits = createInFlightLimits({ reads: 2 });
    const first = limits.enterRequest('read', jane);
    limits.enterRequest('read', jane);
    first?.();
    first?.();
    expect(limits.enterRequest('read', jane)).toBeTypeOf('function');
    expect(limits.enterRequest('read', jane)).toBeUndefined();
  });

  it('never holds system:masters back, and does not count them', () => {
    const limits = createInFlightLimits({ reads: 1 });
    for (let i = 0; i < 5; i += 1) expect(limits.enterRequest('read', admin)).toBeTypeOf('function');
    expect(limits.enterRequest('read', jane)).toBeTypeOf('function');
    expect(limits.enterRequest('read', admin)).toBeTypeOf('function');
  });

  it('holds watches to a number for all and one for each caller, masters too', () => {
    const limits = createInFlightLimits({ watches: 3, watchesPerCaller: 2 });
    const first = limits.enterWatch(jane);
    expect(limits.enterWatch(jane)).toBeTypeOf('function');
    expect(limits.enterWatch(jane)).toBeUndefined();
    expect(limits.enterWatch(admin)).toBeTypeOf('function');
    expect(limits.enterWatch(bob)).toBeUndefined();
    first?.();
    expect(limits.enterWatch(bob)).toBeTypeOf('function');
    expect(limits.enterWatch({ name: '__proto__', groups: [] })).toBeUndefined();
  });

  it('has the defaults of Kubernetes', () => {
    const limits = createInFlightLimits();
    for (let i = 0; i < 400; i += 1) limits.enterRequest('read', jane);
    for (let i = 0; i < 200; i += 1) limits.enterRequest('write', jane);
    for (let i = 0; i < 2000; i += 1) limits.enterWatch(jane);
    expect(limits.enterRequest('read', jane)).toBeUndefined();
    expect(limits.enterRequest('write', jane)).toBeUndefined();
    expect(limits.enterWatch(jane)).toBeUndefined();
    expect(limits.enterWatch(bob)).toBeTypeOf('function');
  });

  it('lists every fault of its options', () => {
    expect(() => createInFlightLimits({ reads: 0, writes: 1.5, watches: NaN, watchesPerCaller: '5' as never })).toThrow(
      /reads .*; writes .*; watches .*; watchesPerCaller /,
    );
    expect(() => createInFlightLimits({ watches: Infinity })).not.toThrow();
  });
});

describe('tooManyRequestsText', () => {
  it('is a text with Retry-After', () => {
    expect(tooManyRequestsText()).toEqual({
      status: 429,
      headers: {
        'cache-control': 'no-cache, private',
        'content-type': 'text/plain; charset=utf-8',
        'retry-after': '1',
        'x-content-type-options': 'nosniff',
      },
      body: 'Too many requests, please try again later.\n',
    });
  });
});
