import { describe, expect, test } from 'vitest';
import { oncePerTurn } from '../../../src/clock/once-per-turn.js';

describe('oncePerTurn', () => {
  test('works once for all calls of one turn with the same key, and again for later ones', async () => {
    const begun: string[] = [];
    const share = oncePerTurn(async (key: string) => `${key}${begun.push(key)}`);
    expect(await Promise.all([share('a'), share('b'), share('a')])).toEqual(['a1', 'b2', 'a1']);
    expect(await share('a')).toBe('a3');
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  test('begins after each call whose result it is, also while earlier work continues', async () => {
    let state = 1;
    let finish: () => void = () => undefined;
    const share = oncePerTurn(async () => {
      const seen = state;
      await new Promise<void>((resolve) => (finish = resolve));
      return seen;
    });
    const earlier = share(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    const finishEarlier = finish;
    state = 2;
    const later = share(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    finishEarlier();
    expect(await Promise.all([earlier, later])).toEqual([1, 2]);
  });

  test('fails for all who share the work, and for nobody else', async () => {
    let fails = true;
    const share = oncePerTurn(async () => {
      if (fails) throw new Error('no result');
      return 'a result';
    });
    const shared = await Promise.allSettled([share(1), share(1)]);
    expect(shared.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await share(1)).toBe('a result');
  });
});
