import type { Clock } from '../clock/clock.js';
import { callHook } from '../observe/call-hook.js';
import type { Observation, Observe } from '../observe/observation.js';
import { createWarnings } from '../observe/warnings.js';

/** Kubernetes: the check `log` fails when nothing could be flushed for two minutes. */
const BLOCKED_AFTER_MS = 120_000;

/** Limits the list of pending promises if the promises of a hook never settle. */
const MAX_WATCHED = 1_024;

/** Monitors an `observe` hook. Without a hook, errors become warnings of the process. */
export function createLogWatch(hook: Observe | undefined, clock: Clock) {
  const call = hook ?? createWarnings();
  // In chronological order, so the first is the oldest.
  const pending = new Set<{ readonly since: number }>();
  return {
    /** Calls the hook. Never throws. A promise that the hook returns is monitored, and its rejection is ignored. */
    observe(observation: Observation): void {
      const ended = callHook(() => call(observation));
      if (ended === undefined || pending.size >= MAX_WATCHED) return;
      const entry = { since: clock.monotonic() };
      pending.add(entry);
      void ended.then(() => pending.delete(entry));
    },
    isBlocked(): boolean {
      const [oldest] = pending;
      return oldest !== undefined && clock.monotonic() - oldest.since >= BLOCKED_AFTER_MS;
    },
  };
}
