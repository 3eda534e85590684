import type { Observe } from '../observe/observation.js';
import type { Verdict } from './check-runner.js';
import type { HealthChange } from './contract.js';

export function createChanges(observe: Observe) {
  // Wrapped, so that a function added twice is called twice and removed twice.
  const listeners = new Set<{ readonly call: (change: HealthChange) => unknown }>();
  /** Also reports the rejection of an async listener, which would otherwise end the process. */
  const tell = async (call: (change: HealthChange) => unknown, change: HealthChange): Promise<void> => {
    try {
      await call(change);
    } catch (error) {
      void observe({ type: 'error', error, where: 'health: onChange listener' });
    }
  };
  return {
    announce(check: string, verdict: Verdict, previous: Verdict['status'] | undefined): void {
      if (previous === undefined && verdict.status === 'ok') return;
      const current = { check, ...verdict };
      void observe({ type: 'health.changed', ...current });
      const change = previous === undefined ? current : { ...current, previous };
      for (const { call } of [...listeners]) void tell(call, change);
    },
    onChange(listener: (change: HealthChange) => void): () => void {
      if (typeof listener !== 'function') throw new TypeError('health.onChange: the listener must be a function');
      const entry = { call: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
