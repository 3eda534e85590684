import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
/** Lines without their indentation, so that a method may be shown outside of its object. */
const plain = (text: string): string => text.replaceAll(/^\s+/gm, '').trim();

describe('docs/implementing-a-store.md', () => {
  const guide = read('docs/implementing-a-store.md');
  const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '');
  const example = read('examples/own-store/table-store.ts');
  // The guide leaves out where the example's own files are.
  const runs = read('examples/own-store/table-store.test.ts').replaceAll(/^import .* from '\.\/.*\n/gm, '');

  test('shows code of the example', () => {
    expect(blocks.length).toBeGreaterThan(8);
  });

  test.each(blocks.map((code) => [code.split('\n')[0] ?? '', code]))('shows the code that runs at "%s"', (_, code) => {
    expect(plain(code.includes('eventStoreSuite(') ? runs : example)).toContain(plain(code));
  });
});
