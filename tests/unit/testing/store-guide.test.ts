import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
/** Lines without their indentation, so that a method may be shown outside of its object. */
const plain = (text: string): string => text.replaceAll(/^\s+/gm, '').trim();

describe('docs/implementing-a-store.md', () => {
  const guide = read('docs/implementing-a-store.md');
  const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '');
  const example = read('tests/conformance/table-store/table-store.ts').replaceAll(
    '../../../src/index.js',
    'kube-vitals',
  );
  const runs = read('tests/conformance/stores.test.ts');

  test('shows code', () => {
    expect(blocks.length).toBeGreaterThan(8);
  });

  test.each(blocks.map((code) => [code.split('\n')[0] ?? '', code]))('what runs has the code at "%s"', (_, code) => {
    const isRun = code.includes('eventStoreSuite(');
    const shown = isRun ? code.replaceAll(/^import .*\n/gm, '') : code;
    expect(plain(isRun ? runs : example)).toContain(plain(shown));
  });
});
