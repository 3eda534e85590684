import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageEntries } from '../../scripts/reference/package-entries.js';
import { tidyPages } from '../../scripts/reference/tidy-pages.js';
import { entries } from './package-entries.js';
import { readDeclarations } from './public-declarations.js';
import { filesBelow, root } from './source-files.js';

// Whether the texts are current is checked with the site (scripts/check-site.mjs), because it takes a run of TypeDoc.
describe('the reference', () => {
  const pages = packageEntries(root);
  const textOf = (page: string): string => readFileSync(join(root, `docs/reference/${page}.md`), 'utf8');

  it('has a page for each entry of the package, an index, and nothing else', () => {
    expect(pages.map(({ specifier }) => specifier).sort()).toEqual(entries.map(({ specifier }) => specifier).sort());
    expect(filesBelow('docs/reference')).toEqual(['README.md', ...pages.map(({ page }) => `${page}.md`)].sort());
  });

  it('describes every exported name once, and lists it on the page of each entry that exports it', () => {
    const described = pages.flatMap(({ page }) =>
      [...textOf(page).matchAll(/^### ([\w$]+)(?:\(\))?$/gm)].map(([, name = '']) => name),
    );
    const { names } = readDeclarations();
    expect(described.sort()).toEqual([...new Set(names.map(({ name }) => name))].sort());
    const missing = pages.flatMap(({ specifier, page }) => {
      const text = textOf(page);
      const own = names.filter((exported) => exported.specifier === specifier);
      return own
        .filter(({ name }) => !new RegExp(`^### ${name}(\\(\\))?$|[ \\n]\\[${name}\\]\\([\\w-]+\\.md#`, 'm').test(text))
        .map(({ name }) => `${specifier}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

describe('a page of the reference', () => {
  const tidy = async (text: string): Promise<string> =>
    (await tidyPages(new Map([['a.md', text]]), {})).get('a.md') ?? '';

  it('keeps the anchors of members that a link leads to, and names them by their interface', async () => {
    const cell = (id: string, name: string): string => `| <a id="${id}"></a> \`${name}?\` | \`number\` |\n`;
    const written = `<a id="one"></a>\n\n### One\n\n${cell('property-a', 'a')}${cell('property-b', 'b')}\n[One.b](#property-b)\n`;
    expect(await tidy(written)).toBe(
      '### One\n\n| `a?` | `number` |\n| <a id="one-b"></a> `b?` | `number` |\n\n[One.b](#one-b)\n',
    );
  });

  it('has the anchors that GitHub gives to headings of the same text', async () => {
    const written = '<a id="x"></a>\n\n### fakeClock()\n\n[type](#x-3)\n\n<a id="x-3"></a>\n\n### FakeClock\n';
    expect(await tidy(written)).toBe('### fakeClock()\n\n[type](#fakeclock-1)\n\n### FakeClock\n');
  });

  it('is refused when a link leads to no anchor', async () => {
    await expect(tidy('[gone](#gone)\n')).rejects.toThrow('a.md links to a.md#gone, which is no anchor.');
  });

  it('leaves out parameters and results that the declaration names as well, unless there is a link or a text', async () => {
    const table = (title: string, cell: string): string =>
      `#### Parameters\n\n| Parameter | Type |${title}\n|---|---|\n| \`a\` | ${cell} |\n\n`;
    const plain = `${table('', '`number`')}#### Returns\n\n\`void\`\n\n`;
    const linked = `${table('', '[`B`](#b)')}#### Returns\n\n[\`B\`](#b)\n\n`;
    const described = `${table(' Description |', '`number` | why |')}#### Returns\n\n\`number\`\n\nHow many.\n\n`;
    expect(await tidy(`### A\n\n${plain}<a id="b"></a>\n\n### B\n\n${linked}### C\n\n${described}`)).toBe(
      `### A\n\n### B\n\n${linked}### C\n\n${described}`.trimEnd() + '\n',
    );
  });

  it('names the objects of a union by their type, and leaves out their code, which the declaration shows', async () => {
    const literal = (members: string, text: string): string =>
      `##### Type Literal\n\n\`\`\`ts\n{\n${members}}\n\`\`\`\n\n${text}\n\n***\n\n`;
    const written = [
      literal('  caller: Caller;\n', 'Without a type.'),
      literal('  type: "watch.ended";\n  sent: {\n     bytes: number;\n  };\n', 'With one.'),
      literal('  type: "merge" | "strategic";\n', 'With two.'),
      literal('  type: "json";\n', 'The last one.'),
    ].join('');
    expect(await tidy(written)).toBe(
      '##### Object\n\nWithout a type.\n\n##### `watch.ended`\n\nWith one.\n\n' +
        '##### `merge` or `strategic`\n\nWith two.\n\n##### `json`\n\nThe last one.\n',
    );
  });

  it('names in one line what other pages describe', async () => {
    const written =
      '### One\n\n***\n\n## References\n\n### Two\n\nRe-exports [Two](b.md)\n\n***\n\n### Six\n\nRe-exports [Six](b.md)\n';
    expect(await tidy(written)).toBe('### One\n\n## Exported here too\n\n[Two](b.md), [Six](b.md)\n');
  });
});
