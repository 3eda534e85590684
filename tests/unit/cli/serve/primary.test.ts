import { describe, expect, it, vi } from 'vitest';
import { parseCommandLine } from '../../../../src/cli/command-line/parse-command-line.js';
import { completeFlags, serveFlags } from '../../../../src/cli/serve/flags.js';
import type { runPrepared } from '../../../../src/cli/serve/preparation.js';
import { runPrimary } from '../../../../src/cli/serve/primary.js';
import { supervise } from '../../../../src/cli/serve/supervisor.js';

vi.mock('../../../../src/cli/serve/supervisor.js', () => ({ supervise: vi.fn(() => Promise.resolve(0)) }));
vi.mock('../../../../src/cli/serve/preparation.js', () => ({
  runPrepared: ((_flags, _context, work) => work({} as never, () => undefined)) satisfies typeof runPrepared,
}));

describe('the time that workers have for their shutdown', () => {
  it.each([
    ['0s', 80_000],
    ['25s', 105_000],
  ])('includes --shutdown-delay-duration=%s, the drain timeout and the closing', async (delay, limitMs) => {
    const parsed = parseCommandLine(
      serveFlags,
      [],
      ['--workers=2', '--store=etcd://127.0.0.1:1', `--shutdown-delay-duration=${delay}`],
    );
    if (!('flags' in parsed)) throw new Error(JSON.stringify(parsed));
    const context = { onSignal: () => () => undefined } as never;
    expect(await runPrimary(completeFlags(parsed.flags), context)).toBe(0);
    expect(vi.mocked(supervise)).toHaveBeenLastCalledWith(expect.objectContaining({ shutdownLimitMs: limitMs }));
  });
});
