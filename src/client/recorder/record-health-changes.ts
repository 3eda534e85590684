import { throwFaults } from '../../options/check-options.js';
import { anObjectWith, required } from '../../options/rules.js';
import type { Recorder } from './contract.js';

const REASONS = { ok: 'HealthCheckPassing', degraded: 'HealthCheckDegraded', failed: 'HealthCheckFailing' } as const;

/** The part of a change of `health.onChange` that is recorded. */
export interface RecordableHealthChange {
  /** The name of the check. */
  readonly check: string;
  /** Its new status. */
  readonly status: 'ok' | 'degraded' | 'failed';
}

/**
 * Records the changes of health checks: `health.onChange(recordHealthChanges(recorder))`. A check that flaps makes two
 * series, that of its failures and that of its recoveries, not an event for each change. The check `shutdown` is left
 * out, because it only shows that the process ends.
 *
 * Why a check fails is not recorded: `/readyz` withholds it from callers without the right to see it, and more people
 * may read events. It is in the log, by `observe`.
 *
 * @throws TypeError without a recorder
 */
export function recordHealthChanges(recorder: Pick<Recorder, 'event'>): (change: RecordableHealthChange) => void {
  throwFaults('recordHealthChanges', required(anObjectWith(['event'], 'a recorder'))(recorder, 'the recorder'));
  return ({ check, status }) => {
    if (check === 'shutdown') return;
    recorder.event({
      type: status === 'ok' ? 'Normal' : 'Warning',
      action: 'CheckingHealth',
      reason: REASONS[status],
      note: `check ${check} is ${status}`,
    });
  };
}
