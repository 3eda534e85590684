import type { Observation, WatchIdentity } from '../../observe/observation.js';
import { abortCodeOf } from '../../model/abort-code.js';
import type { VerbCall } from '../request/call.js';
import { reportedScope } from '../request/scope.js';

export type EndReason = Extract<Observation, { type: 'watch.ended' }>['reason'];

/** Counts the frames and bytes of one watch, and reports its start and end. */
export interface WatchCounters {
  frames(count: number): void;
  bytes(count: number): void;
  /** Reports the end: `reason` if the watch ended by itself, otherwise the code of the abort reason of `signal`. */
  ended(reason: EndReason | undefined, signal: AbortSignal | undefined): void;
}

export function createWatchCounters({ dependencies, scope, caller }: VerbCall): WatchCounters | undefined {
  const { watchObserver, clock } = dependencies;
  if (watchObserver === undefined) return undefined;
  const { notify, sent } = watchObserver;
  const { group, version, namespace } = scope;
  const watch: WatchIdentity = { caller: caller.name, group, version, namespace, scope: reportedScope(scope) };
  const since = clock.monotonic();
  let frames = 0;
  let bytes = 0;
  notify({ type: 'watch.started', ...watch });
  return {
    frames(count) {
      frames += count;
      sent(group, version, count, 0);
    },
    bytes(count) {
      bytes += count;
      sent(group, version, 0, count);
    },
    ended(itself, signal) {
      const reason = itself ?? abortCodeOf(signal?.reason) ?? 'aborted';
      notify({ type: 'watch.ended', reason, frames, bytes, durationMs: clock.monotonic() - since, ...watch });
    },
  };
}
