import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './source-files.js';

function mutation(...words: string[]): { readonly status: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/mutation.mjs'), ...words], {
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

describe('npm run mutation', () => {
  it('shows how it is used', () => {
    const { status, out, err } = mutation('--help');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^usage: npm run mutation -- ROOM… /);
    expect(out.split('\n').length).toBeLessThan(8);
  });

  it.each([
    ['an unknown option', ['--hlep'], "error: Unknown option '--hlep'"],
    ['an unknown room', ['nowhere'], 'error: no room: nowhere\n'],
    ['no room', [], 'error: no room\n'],
  ])('refuses %s with its usage, and without a stack trace', (_, words, error) => {
    const { status, out, err } = mutation(...words);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err.startsWith(error)).toBe(true);
    expect(err).toContain('\nusage: npm run mutation -- ROOM… ');
    expect(err).not.toContain('    at ');
  });
});
