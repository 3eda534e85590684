import { expect, test, vi } from 'vitest';
import { createReports } from '../../../../src/client/recorder/reports.js';

test('drops that could not be reported, because the reporter was not loaded, are reported with the next one', async () => {
  const reporter = {
    changed: vi.fn(),
    failed: vi.fn(),
    worked: vi.fn(),
    drop: vi.fn(),
    close: () => Promise.resolve(),
  };
  const load = vi.fn(() => Promise.resolve(reporter));
  load.mockRejectedValueOnce(new Error('too many open files'));
  const reports = createReports(load);
  const error = new Error('not allowed');
  reports.drop('refused', 1, error);
  await reports.close();
  reports.drop('refused', 2, error);
  await reports.close();
  expect(reporter.drop.mock.calls).toEqual([['refused', 3, error, undefined]]);
});
