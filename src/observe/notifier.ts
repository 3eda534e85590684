import type { Observation, Observe } from './observation.js';

/** Tells a hook, whatever it does in return: what it throws or rejects with has no say in what the library does next. */
export type Notify = (observation: Observation) => void;

/** The hook of a service as the rooms of this library call it; without a hook a function that does nothing. */
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
