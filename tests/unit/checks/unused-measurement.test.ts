import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import { eventLoopDelayCheck } from '../../../src/checks.js';
import { createHealth } from '../../../src/index.js';
import { collectGarbage } from '../../collect-garbage.js';

vi.mock('node:perf_hooks', async (importOriginal) => {
  const original = await importOriginal<{ monitorEventLoopDelay: typeof monitorEventLoopDelay }>();
  return { ...original, monitorEventLoopDelay: vi.fn(original.monitorEventLoopDelay) };
});

it('eventLoopDelayCheck measures until it is removed and collected as garbage', async () => {
  const health = createHealth();
  health.add(eventLoopDelayCheck());
  await health.report('readyz');
  const disable = vi.spyOn(vi.mocked(monitorEventLoopDelay).mock.results.at(-1)?.value as { disable(): boolean }, 'disable'); // prettier-ignore
  const collect = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await collect();
  expect(disable).not.toHaveBeenCalled();
  health.remove('event-loop-delay');
  await collect();
  expect(disable).toHaveBeenCalled();
});
