import { describe, expect, it } from 'vitest';
import { createHolds } from '../../../src/checks.js';
import { createHealth } from '../../../src/index.js';
import { fakeClock } from '../../../src/testing.js';

function createBench() {
  const clock = fakeClock();
  const health = createHealth({ clock });
  const holds = createHolds({ clock });
  health.add(holds.check);
  const readyz = async (): Promise<string> => (await health.report('readyz')).status;
  const reason = async (name: string): Promise<string | undefined> =>
    (await health.report('readyz')).checks.find((check) => check.name === name)?.reason;
  return { clock, health, holds, readyz, reason };
}

describe('a hold that keeps a service from being ready', () => {
  it('fails readyz until all of them are released, and never livez', async () => {
    const { health, holds, readyz, reason } = createBench();
    expect(await readyz()).toBe('ok');
    const first = holds.notReady('importing the catalogue');
    const second = holds.notReady('warming caches');
    expect(await readyz()).toBe('failed');
    expect(await reason('holds')).toBe('importing the catalogue; warming caches');
    expect((await health.report('livez')).status).toBe('ok');
    first();
    first();
    expect(await readyz()).toBe('failed');
    second();
    expect(await readyz()).toBe('ok');
  });

  it('ends by itself after ten minutes, unless maxMs is set', async () => {
    const { clock, holds, readyz } = createBench();
    holds.notReady('forgotten');
    clock.advance(599_999);
    expect(await readyz()).toBe('failed');
    clock.advance(1);
    expect(await readyz()).toBe('ok');
    holds.notReady('short', { maxMs: 10 });
    holds.notReady('for ever', { maxMs: Infinity });
    clock.advance(86_400_000);
    expect(await readyz()).toBe('failed');
  });
});

describe('maxMs', () => {
  it('is refused where a timer would end the hold early', () => {
    const fault = 'maxMs must be a number above 0, at most 2147483647, or Infinity';
    expect(() => createHolds({ maxMs: 2_147_483_648 })).toThrow(new TypeError(`createHolds: ${fault}`));
    const { notReady } = createHolds({ maxMs: 2_147_483_647 });
    expect(() => notReady('a', { maxMs: 2_147_483_648 })).toThrow(new TypeError(`holds.notReady: ${fault}`));
    expect(() => notReady('a', { maxMs: 0 })).toThrow(TypeError);
    notReady('a', { maxMs: 0.5 })();
  });
});

describe('a hold that keeps a service ready', () => {
  it.each<[string, () => unknown]>([
    ['throws', () => { throw new Error('away'); }], // prettier-ignore
    ['rejects', () => Promise.reject(new Error('away'))],
    ['returns an error', () => new Error('away')],
    ['returns a verdict later', () => Promise.resolve({ ok: false, reason: 'away' })],
  ])('makes a check that %s degraded until it is released', async (_how, check) => {
    const { health, holds, readyz, reason } = createBench();
    health.add(holds.keeping({ name: 'database', check: check as () => undefined }));
    expect(await readyz()).toBe('failed');
    expect(await reason('database')).toBe('away');
    const release = holds.ready('billing run');
    expect(await readyz()).toBe('degraded');
    expect(await reason('database')).toBe('away (held ready: billing run)');
    release();
    expect(await readyz()).toBe('failed');
  });

  it.each<[string, unknown, string]>([
    ['the error of another realm', { message: 'away', code: 'EPIPE' }, 'away (EPIPE)'],
    ['nothing', undefined, 'failed without a reason'],
    ['what cannot be read', Object.create(null), 'failed with something unreadable'],
  ])('gives a check that throws %s the reason that it has without a hold', async (_what, thrown, text) => {
    const { health, holds, readyz, reason } = createBench();
    health.add(holds.keeping({ name: 'database', check: () => Promise.reject(thrown as Error) }));
    expect(await reason('database')).toBe(text);
    holds.ready('billing run');
    expect(await readyz()).toBe('degraded');
    expect(await reason('database')).toBe(`${text} (held ready: billing run)`);
  });

  it('gives listeners what a check threw, also while a hold is active', async () => {
    const { health, holds } = createBench();
    const error = new Error('away');
    const heard: unknown[] = [];
    health.onChange((change) => heard.push(change));
    health.add(holds.keeping({ name: 'database', check: () => Promise.reject(error) }));
    holds.ready('billing run');
    await health.report('readyz');
    expect(heard).toEqual([{ check: 'database', status: 'degraded', reason: 'away (held ready: billing run)', error }]);
    expect((heard[0] as { error: unknown }).error).toBe(error);
  });

  it('refuses what is no check, as health.add does', () => {
    const { holds } = createBench();
    expect(() => holds.keeping({ name: 'database' } as never)).toThrow(
      new TypeError('holds.keeping: check must be a function'),
    );
    expect(() => holds.keeping(undefined as never)).toThrow(TypeError);
  });

  it('changes nothing about a check that passes, nor about others', async () => {
    const { health, holds, readyz } = createBench();
    health.add(holds.keeping({ name: 'database', check: () => true }));
    holds.ready('billing run');
    expect(await readyz()).toBe('ok');
    health.add({ name: 'disk', check: () => false });
    expect(await readyz()).toBe('failed');
  });
});

describe('released', () => {
  it('resolves once nothing is held, of either kind', async () => {
    const { clock, holds } = createBench();
    await holds.released();
    const release = holds.ready('billing run');
    holds.notReady('import', { maxMs: 100 });
    let over = false;
    const waiting = holds.released().then(() => (over = true));
    release();
    await Promise.resolve();
    expect(over).toBe(false);
    clock.advance(100);
    await waiting;
    expect(over).toBe(true);
  });
});

it('a hold needs a reason and takes known options only', () => {
  const { holds } = createBench();
  expect(() => holds.notReady('')).toThrow(new TypeError('holds.notReady: the reason must be a non-empty string'));
  expect(() => holds.ready('x', { max: 5 } as never)).toThrow(/there is no option "max"/);
  expect(() => holds.ready('x', { maxMs: 0 })).toThrow(
    /maxMs must be a number above 0, at most 2147483647, or Infinity/,
  );
});
