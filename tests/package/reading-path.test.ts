import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSources, root } from './source-files.js';

const MAX_LINES = 3000;
const MAX_TERMS = 25;

const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const sources = readSources();

/** The text below a heading of the second level, up to the next one. */
function section(heading: string): string {
  const [, text = ''] = architecture.split(new RegExp(`^## ${heading}$`, 'm'));
  return text.split(/^## /m)[0] ?? '';
}

/** The numbered files of the reading path, each with its description. */
const path = [...section('Reading path').matchAll(/^(\d+)\. `([^`]+)`: (.+)$/gm)].map(
  ([, number, file = '', reason = '']) => ({ number: Number(number), file: `src/${file}`, reason }),
);

/** The rows of the glossary. */
const terms = [...section('Glossary').matchAll(/^\| \*\*([^*]+)\*\* \| .+ \| `([^`]+)` \|$/gm)].map(
  ([, term = '', where = '']) => ({ term, where }),
);

describe('the reading path of docs/architecture.md', () => {
  it('is the first section of the page', () => {
    expect(/^## (.+)$/m.exec(architecture)?.[1]).toBe('Reading path');
  });

  it('lists 20 to 30 different files in numbered order, each with a reason of one line', () => {
    expect(path.length).toBeGreaterThanOrEqual(20);
    expect(path.length).toBeLessThanOrEqual(30);
    expect(path.map(({ number }) => number)).toEqual(path.map((_, index) => index + 1));
    expect(new Set(path.map(({ file }) => file)).size).toBe(path.length);
    expect(path.filter(({ reason }) => reason.split(' ').length < 4)).toEqual([]);
  });

  it('names only files that exist', () => {
    expect(path.map(({ file }) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it(`has at most ${MAX_LINES} lines together`, () => {
    const lines = path.map(({ file }) => readFileSync(join(root, file), 'utf8').split('\n').length - 1);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_LINES);
  });

  it('leads through every room that a request or a probe passes', () => {
    const rooms = new Set(path.map(({ file }) => file.split('/')[1]));
    expect([...rooms].sort()).toEqual(['api', 'auth', 'events', 'health', 'http', 'limits', 'store']);
  });
});

describe('the glossary of docs/architecture.md', () => {
  it(`defines at most ${MAX_TERMS} terms, each once`, () => {
    expect(terms.length).toBeGreaterThan(15);
    expect(terms.length).toBeLessThanOrEqual(MAX_TERMS);
    expect(new Set(terms.map(({ term }) => term)).size).toBe(terms.length);
  });

  it('names an existing file or folder for each term', () => {
    const homes = terms.map(({ where }) => where);
    const missing = homes.filter((home) => ![home, `src/${home}`].some((path) => existsSync(join(root, path))));
    expect(missing).toEqual([]);
  });

  it('defines only terms that the code uses', () => {
    const text = sources
      .map((source) => source.text)
      .join('\n')
      .toLowerCase();
    // `wake-up batch` is `wakeUpBatch` or `wake-up-batch` in names; a line break may part two words of a comment.
    const used = (name: string, term = name.toLowerCase()): boolean =>
      new RegExp(term.split(/[ -]/).join('(?:[ -]?|\\s+\\*?\\s*)')).test(text) ||
      text.includes(term.replace(/[ -]/g, ''));
    expect(terms.map(({ term }) => term).filter((name) => !used(name))).toEqual([]);
  });
});
