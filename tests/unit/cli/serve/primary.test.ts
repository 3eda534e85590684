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

/** What is given to the supervisor of the workers. */
async function supervised(...words: string[]): Promise<Parameters<typeof supervise>[0]> {
  const parsed = parseCommandLine(serveFlags, [], ['--workers=2', '--store=etcd://127.0.0.1:1', ...words]);
  if (!('flags' in parsed)) throw new Error(JSON.stringify(parsed));
  const context = { onSignal: () => () => undefined } as never;
  expect(await runPrimary(completeFlags(parsed.flags), context)).toBe(0);
  return vi.mocked(supervise).mock.lastCall?.[0] as Parameters<typeof supervise>[0];
}

describe('the ports of all workers', () => {
  it('are those that were given', async () => {
    const { assignment } = await supervised('--secure-port=7443', '--insecure-port=7080');
    expect(assignment.ports).toEqual({ securePort: 7443, insecurePort: 7080 });
    expect((await supervised('--secure-port=7443', '--insecure-port=off')).assignment.ports).toEqual({
      securePort: 7443,
      insecurePort: 'off',
    });
  });

  it('are free ones where any may be taken, two different ones', async () => {
    const { securePort, insecurePort } = (await supervised('--secure-port=0', '--insecure-port=0')).assignment.ports;
    expect(securePort).toBeGreaterThan(0);
    expect(insecurePort).toBeGreaterThan(0);
    expect(insecurePort).not.toBe(securePort);
  });
});

describe('the time that workers have for their shutdown', () => {
  it.each([
    ['0s', 80_000],
    ['25s', 105_000],
  ])('includes --shutdown-delay-duration=%s, the drain timeout and the closing', async (delay, limitMs) => {
    expect(await supervised(`--shutdown-delay-duration=${delay}`)).toMatchObject({ shutdownLimitMs: limitMs });
  });
});
