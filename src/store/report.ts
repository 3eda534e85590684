import type { Observe } from '../observe/observation.js';

/** A function that hands unexpected errors to `observe`, whatever that does in return. */
export function errorReporter(observe: Observe | undefined, where: string): (error: unknown) => void {
  return (error) => {
    try {
      const answer = observe?.({ type: 'error', error, where });
      if (answer instanceof Promise) answer.catch(() => undefined);
    } catch {
      // An observer has no say in what the library does next.
    }
  };
}
