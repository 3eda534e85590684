import { readFile } from 'node:fs/promises';
import { constrainedMemory, memoryUsage } from 'node:process';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryCheck } from '../../../src/checks.js';

vi.mock('node:fs/promises', async (importOriginal) => ({ ...(await importOriginal<object>()), readFile: vi.fn() }));
vi.mock('node:process', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  constrainedMemory: vi.fn(),
  memoryUsage: { rss: vi.fn() },
}));

const V2 = '/sys/fs/cgroup/memory.max';
const V1 = '/sys/fs/cgroup/memory/memory.limit_in_bytes';
/** The value of cgroup v1 for no limit: 2 ** 63 - 1, rounded down to pages of 4 KiB. */
const V1_WITHOUT_LIMIT = '9223372036854771712\n';

/** A machine with these files. Others do not exist. */
function machine({ files = {}, constrained = 0 }: { files?: Record<string, string>; constrained?: number }): void {
  vi.mocked(readFile).mockImplementation((path) => {
    const text = files[path as string];
    return text === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(text);
  });
  vi.mocked(constrainedMemory).mockReturnValue(constrained);
}

/** The verdict of a run while the process has this many bytes of resident memory. */
async function verdictWith(rss: number, check = memoryCheck()): Promise<unknown> {
  vi.mocked(memoryUsage.rss).mockReturnValue(rss);
  return check.check({ signal: new AbortController().signal });
}

beforeEach(() => void vi.resetAllMocks());

describe('memoryCheck in a container', () => {
  it.each<[string, Parameters<typeof machine>[0], number]>([
    ['of cgroup v2', { files: { [V2]: '2000\n' }, constrained: 5_000 }, 2_000],
    ['of cgroup v2, if there is one of v1 as well', { files: { [V2]: '2000\n', [V1]: '3000\n' } }, 2_000],
    ['of cgroup v1', { files: { [V1]: '3000\n' }, constrained: 5_000 }, 3_000],
    ['of cgroup v1, if v2 says max', { files: { [V2]: 'max\n', [V1]: '3000\n' } }, 3_000],
    ['that Node knows, if v2 says max', { files: { [V2]: 'max\n' }, constrained: 5_000 }, 5_000],
    ['that Node knows, if v1 has none', { files: { [V1]: V1_WITHOUT_LIMIT }, constrained: 5_000 }, 5_000],
    ['that Node knows, if there is no file', { constrained: 5_000 }, 5_000],
  ])('compares resident memory with the limit %s', async (_whose, files, limit) => {
    machine(files);
    expect(await verdictWith(limit * 0.95)).toBe(true);
    expect(await verdictWith(limit * 0.95 + 1)).toEqual({
      ok: false,
      reason: expect.stringMatching(
        new RegExp(`^resident memory is 95\\.\\d % of ${limit} bytes, more than 95\\.0 %$`),
      ),
    });
  });

  it.each<[string, Parameters<typeof machine>[0]]>([
    ['v2 says max', { files: { [V2]: 'max\n' } }],
    ['v1 has a number near 2 ** 63', { files: { [V1]: V1_WITHOUT_LIMIT } }],
    ['Node knows a number near 2 ** 63', { files: { [V1]: V1_WITHOUT_LIMIT }, constrained: 9_223_372_036_854_771_712 }],
    ['Node knows a number near 2 ** 64', { constrained: 18_446_744_073_709_551_615 }],
    ['there is nothing to know it from', {}],
  ])('passes whatever it uses where no limit is set: %s', async (_how, files) => {
    machine(files);
    expect(await verdictWith(2 ** 62)).toBe(true);
    expect(await verdictWith(Number.MAX_VALUE)).toBe(true);
  });

  it('compares with the limit that the container has now', async () => {
    const check = memoryCheck();
    for (const limit of [2_000, 4_000, 1_000]) {
      machine({ files: { [V2]: `${limit}\n` } });
      expect(await verdictWith(limit * 0.95, check)).toBe(true);
      expect(await verdictWith(limit * 0.95 + 1, check)).toMatchObject({ ok: false });
    }
  });

  it('does not read the limit where the options have one', async () => {
    expect(await verdictWith(1_900, memoryCheck({ limitBytes: 1_000 }))).toMatchObject({ ok: false });
    expect(readFile).not.toHaveBeenCalled();
  });
});
