import { execFileSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { expect, it, vi } from 'vitest';
import { disablePretenuring } from '../../../../src/cli/serve/v8-flags.js';

vi.mock('node:v8', () => ({ setFlagsFromString: vi.fn() }));

it('the flags that the standalone server sets are known to this version of Node', () => {
  disablePretenuring();
  const flags = vi.mocked(setFlagsFromString).mock.calls.map(([flag]) => flag);
  expect(flags).toEqual(['--no-allocation-site-pretenuring']);
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of flags) expect(known).toMatch(new RegExp(`^ +--${flag.replace(/^--no-/, '(no-)?')} `, 'm'));
});
