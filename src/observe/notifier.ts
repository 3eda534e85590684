import type { Observation, Observe } from './observation.js';

/** Calls a hook and ignores what it throws or rejects with. */
export type Notify = (observation: Observation) => void;

/** Wraps the hook of a service so that it never throws; without a hook the function does nothing. */
export function createNotifier(observe: Observe | undefined): Notify {
  if (observe === undefined) return () => undefined;
  return (observation) => {
    try {
      const pending: unknown = observe(observation);
      if (pending !== undefined) Promise.resolve(pending).catch(() => undefined);
    } catch {
      // see above
    }
  };
}
