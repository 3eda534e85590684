import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './source-files.js';

const PAGE = 'docs/specification.md';
const CHECKS = [
  { ids: /\bE\d{3}\b/g, file: 'tests/conformance/event-checks.ts' },
  { ids: /\bHEALTH-\d{2}\b/g, file: 'tests/conformance/health-checks.ts' },
] as const;

/** One statement of the specification, as the page has it. */
interface Row {
  readonly line: number;
  /** `4.1-3`: the section, and the count within it. */
  readonly id: string;
  readonly cells: readonly string[];
}

const read = (path: string): string | undefined => {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

function rowsOf(text: string): Row[] {
  return text.split('\n').flatMap((line, index) => {
    const cells = line.split('|').slice(1, -1);
    const id = cells[0]?.trim() ?? '';
    return /^\d+(\.\d+)?-\d+$/.test(id) ? [{ line: index + 1, id, cells: cells.map((cell) => cell.trim()) }] : [];
  });
}

/** Files that the row names and that do not exist. */
function missingFiles({ cells }: Row): string[] {
  const named = [...(cells[3] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
  if (named.length === 0) return ['names no file'];
  return named
    .filter((path) => !existsSync(join(root, /^(docs|examples)\//.test(path) ? path : `src/${path}`)))
    .map((path) => `no file ${path}`);
}

/** A title stands in its file as a string, in one of three kinds of quotes. */
function hasTitle(text: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`));
}

/** Proofs that the last cell names and that do not exist. */
function missingProofs({ cells }: Row): string[] {
  const [, , , where = '', proof = ''] = cells;
  const faults: string[] = [];
  let found = 0;
  for (const { ids, file } of CHECKS) {
    // Text in quotes is a title, not an id.
    for (const [id] of proof.replace(/“[^”]*”/g, '').matchAll(ids)) {
      found++;
      if (read(file)?.includes(`'${id}'`) !== true) faults.push(`no check ${id}`);
    }
  }
  for (const [, path = '', titles = ''] of proof.matchAll(/`([^`]+)`((?:,? “[^”]*”)+)/g)) {
    const text = read(`tests/${path}`);
    for (const [, title = ''] of titles.matchAll(/“([^”]*)”/g)) {
      found++;
      if (text === undefined || !hasTitle(text, title)) faults.push(`no test “${title}” in ${path}`);
    }
  }
  const leftOver = proof.replace(/`[^`]+`(?:,? “[^”]*”)+/g, '').replace(/\b(?:E\d{3}|HEALTH-\d{2})\b/g, '');
  if (proof === '–' && where.includes('docs/')) return faults;
  if (/[^\s,]/.test(leftOver)) faults.push(`cannot be read: ${leftOver.trim()}`);
  return found === 0 ? [...faults, 'has no proof'] : faults;
}

const rows = rowsOf(read(PAGE) ?? '');
const all = (faultsOf: (row: Row) => string[]): string[] =>
  rows.flatMap((row) => faultsOf(row).map((fault) => `${PAGE}:${row.line} ${row.id} ${fault}`));

describe('docs/specification.md', () => {
  it('covers all nine sections, numbered without gaps', () => {
    const counts = new Map<string, number>();
    const gaps = rows.filter(({ id }) => {
      const [section = '', count] = id.split('-');
      const expected = (counts.get(section) ?? 0) + 1;
      counts.set(section, expected);
      return Number(count) !== expected;
    });
    expect(gaps.map(({ id }) => id)).toEqual([]);
    expect(new Set([...counts.keys()].map((section) => section.split('.')[0]))).toEqual(
      new Set(['1', '2', '3', '4', '5', '6', '7', '8', '9']),
    );
    expect(rows.length).toBeGreaterThan(100);
  });

  it('has five non-empty cells in every row', () => {
    expect(all(({ cells }) => (cells.length === 5 && !cells.includes('') ? [] : ['has an empty cell']))).toEqual([]);
  });

  it('names only files that exist', () => {
    expect(all(missingFiles)).toEqual([]);
  });

  it('names a decision for every deviation, and leaves out none that is known', () => {
    const deviations = rows.filter(({ cells }) => /\*\*Deviations?:\*\*/.test(cells[2] ?? ''));
    const faults = deviations.flatMap(({ id, cells }) => {
      const decisions = [...(cells[2] ?? '').matchAll(/\]\((decisions\/[^)]+)\)/g)].map((match) => match[1] as string);
      if (decisions.length === 0) return [`${id} names no decision`];
      return decisions.filter((path) => read(`docs/${path}`) === undefined).map((path) => `${id}: no ${path}`);
    });
    expect(faults).toEqual([]);
    expect(deviations.map(({ id }) => id)).toEqual([
      ...['2.1-2', '2.1-3', '2.1-4', '2.1-6', '2.1-8', '2.1-9', '2.1-12', '2.1-13', '2.1-14', '2.1-15', '2.2-2'],
      ...['4.2-8', '8-1', '8-2', '8-3', '8-4'],
    ]);
  });

  it('has a proof for every statement, and names only checks and tests that exist', () => {
    expect(all(missingProofs)).toEqual([]);
  });
});

describe('the documentation', () => {
  it('states that healthz is deprecated and that single checks are alpha', () => {
    for (const page of ['README.md', 'docs/health.md']) {
      const text = (read(page) ?? '').replace(/[*\s]+/g, ' ');
      expect([page, /deprecated since Kubernetes 1\.16/.test(text)]).toEqual([page, true]);
      expect([page, /single checks.{0,40}alpha/i.test(text)]).toEqual([page, true]);
    }
  });
});

describe('the check itself', () => {
  const faults = (where: string, proof: string): string[] => {
    const [row] = rowsOf(`| 1-1 | x | y | ${where} | ${proof} |`);
    return row === undefined ? ['no row'] : [...missingFiles(row), ...missingProofs(row)];
  };

  it('reads ids, and titles with commas between them', () => {
    expect(
      faults(
        '`events/resource/schema.ts`',
        'E001, HEALTH-01, `package/specification.test.ts` “names only files that exist”, “has five non-empty cells in every row”',
      ),
    ).toEqual([]);
    expect(faults('`docs/health.md`', '–')).toEqual([]);
  });

  it.each([
    ['`events/nothing.ts`', 'E001'],
    ['', 'E001'],
    ['`events/resource/schema.ts`', 'E999'],
    ['`events/resource/schema.ts`', 'HEALTH-99'],
    ['`events/resource/schema.ts`', '`unit/no-such.test.ts` “x”'],
    ['`events/resource/schema.ts`', '`package/docs.test.ts` “no such title”'],
    ['`events/resource/schema.ts`', 'by reading'],
    ['`events/resource/schema.ts`', '–'],
  ])('refuses %s with %s', (where, proof) => {
    expect(faults(where, proof).length).toBeGreaterThan(0);
  });
});
