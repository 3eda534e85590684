import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as checks from '../../../src/checks.js';

const folder = join(import.meta.dirname, '../../../src/checks');
const source = readdirSync(folder)
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n');

/** The text of the comment of an exported function, on one line. */
function commentOf(name: string): string {
  const before = source.split(`\nexport function ${name}(`)[0] ?? '';
  const [, comment = ''] = /\/\*\*((?:(?!\*\/)[^])*)\*\/$/.exec(before) ?? [];
  return comment.replace(/\s*\n \* ?/g, ' ');
}

describe('the comment of a ready-made check', () => {
  it.each(Object.keys(checks))('explains when not to use it: %s', (name) => {
    expect(commentOf(name)).toMatch(/\b[Dd]o not (use|put|add) /);
  });
});
