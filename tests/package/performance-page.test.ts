import { expect, it } from 'vitest';
import { phases, scenarios } from '../../bench/parts.js';
import { readBaseline } from '../../bench/report/baseline.js';
import { pageOf } from '../../bench/report/page.js';

it('docs/performance.md is what the benchmark writes from bench/baseline.json', async () => {
  await expect(pageOf(readBaseline(), [...phases, ...scenarios])).toMatchFileSnapshot('../../docs/performance.md');
});

it.each([...phases, ...scenarios])('docs/performance.md has figures of $id', ({ id }) => {
  expect(readBaseline().some((figure) => new RegExp(`^${id}[.-]`).test(figure.id))).toBe(true);
});
