import { expect, it } from 'vitest';
import { createIndexes } from '../../../../src/client/watching/index-by.js';
import { heapGrowth } from '../../../collect-garbage.js';

it('keeps nothing of values that no event has any more', async () => {
  const indexes = createIndexes({ byReason: ({ reason }) => reason }, () => undefined);
  const grown = await heapGrowth(() => {
    for (let count = 0; count < 100_000; count++) {
      indexes.changed('shop/a', { metadata: { name: 'a', namespace: 'shop' }, reason: `Paid-${count}` });
    }
    indexes.changed('shop/a', undefined);
  });
  expect(indexes.find('byReason', 'Paid-99999')).toEqual([]);
  expect(grown).toBeLessThan(9 * 1_048_576);
});
