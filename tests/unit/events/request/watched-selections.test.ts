import { describe, expect, test } from 'vitest';
import { everything } from '../../../../src/api/selectors/field-selector.js';
import { createWatchedSelections } from '../../../../src/events/request/watched-selections.js';
import { heapGrowth } from '../../../collect-garbage.js';
import { bench, path } from '../bench.js';

const compile = () => ({ ...everything });

describe('the selectors of watches', () => {
  test('are compiled once for equal texts, and have one key', () => {
    const selections = createWatchedSelections();
    const first = selections(['v1', '', 'app=web', ''], compile);
    expect(selections(['v1', '', 'app=web', ''], compile)).toBe(first);
    const others = [
      selections(['v1', '', '', 'app=web'], compile),
      selections(['v1', '', 'app=db', ''], compile),
      selections(['events/v1', '', 'app=web', ''], compile),
    ];
    expect(new Set([first, ...others].map(({ key }) => key)).size).toBe(4);
    expect(new Set([first, ...others].map(({ selector }) => selector)).size).toBe(4);
  });

  test('are dropped from 1,024 on, least recently used first', () => {
    const selections = createWatchedSelections();
    const of = (index: number) => selections([`app=${index}`], compile);
    const [zero, one] = [of(0), of(1)];
    for (let index = 2; index < 1_024; index++) of(index);
    expect(of(0)).toBe(zero);
    of(1_024);
    expect(of(0)).toBe(zero);
    expect(of(1)).not.toBe(one);
    expect(of(1).key).not.toBe(one.key);
  });

  test('are dropped when their texts reach a million characters', () => {
    const selections = createWatchedSelections();
    const of = (index: number) => selections([`${index}=${'x'.repeat(32_000)}`], compile);
    const first = of(0);
    for (let index = 1; index < 32; index++) of(index);
    expect(of(0)).toBe(first);
    for (let index = 32; index < 80; index++) of(index);
    expect(of(0)).not.toBe(first);
  });

  test('are not cached if they are invalid', () => {
    const selections = createWatchedSelections();
    const fail = (): never => {
      throw new Error('bad selector');
    };
    expect(() => selections(['x'], fail)).toThrow('bad selector');
    expect(selections(['x'], compile).selector).toEqual(everything);
  });

  test('keep nothing else of the targets that they came in', async () => {
    const { events } = bench({ observe: () => undefined });
    const watch = async (index: number): Promise<void> => {
      const abort = new AbortController();
      const selectors = `fieldSelector=reason=the-reason-number-${index}&labelSelector=label-number-${index}`;
      const url = path(`?watch=true&${selectors}&more=${'x'.repeat(60_000)}`);
      const response = await events.handle({ method: 'GET', url, signal: abort.signal });
      expect(response?.status).toBe(200);
      const stream = (response?.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      await stream.return?.();
      abort.abort();
    };
    await watch(0);
    const grown = await heapGrowth(async () => {
      for (let index = 1; index <= 300; index++) await watch(index);
    });
    expect(grown).toBeLessThan(9_000_000);
  });
});
