import type { Clock } from '../clock/clock.js';
import { OK, type Announce, type CheckRunner, type Verdict } from './check-runner.js';
import { errorText, isError } from '../observe/error-text.js';
import type { HealthCheck, HealthRoot, PostStartHook } from './contract.js';
import { ROOTS } from './definition.js';

/** Built-in checks always have a verdict: no run, no timeout, no semaphore. `fault` returns the reason of a failure. */
export function createBuiltIn(
  clock: Clock,
  announce: Announce,
): (name: string, endpoints: readonly HealthRoot[], fault: () => string | undefined) => CheckRunner {
  return (name, endpoints, fault) => {
    let verdict: Verdict | undefined;
    let since: number | undefined;
    return {
      definition: { name, endpoints, group: undefined, startup: false },
      addedAt: 0,
      ask() {
        const reason = fault();
        const next =
          reason === undefined ? OK : verdict?.reason === reason ? verdict : { status: 'failed' as const, reason };
        if (next === verdict) return next;
        const previous = verdict?.status;
        verdict = next;
        since = clock.now();
        announce(name, next, previous);
        return next;
      },
      facts: () => ({ durationMs: undefined, since }),
      retire: () => undefined,
      close: () => undefined,
    };
  };
}

export function postStartHook(name: string, add: (check: HealthCheck) => void): PostStartHook {
  let state: true | Error | undefined;
  add({
    // A missing name leaves an empty part, which `add` refuses.
    name: ['poststarthook', name].join('/'),
    endpoints: ROOTS,
    startup: true,
    check: () => state ?? { ok: false, reason: 'not finished' },
  });
  return {
    done: () => void (state ??= true),
    failed: (error) => void (state ??= isError(error) ? error : new Error(errorText(error))),
  };
}
