import type { Observation, WatchIdentity } from '../../observe/observation.js';
import type { VerbCall } from '../request/call.js';
import { reportedScope } from '../request/scope.js';

/** How a watch ended. */
export type EndReason = Extract<Observation, { type: 'watch.ended' }>['reason'];

/** Counts what one watch is sent, and tells its start and its end. */
export interface WatchTally {
  /** It was sent frames, or will be with the next chunks. */
  frames(count: number): void;
  bytes(count: number): void;
  ended(reason: EndReason): void;
}

/** Makes the tally of a watch that begins now; `undefined` where nobody observes. */
export function createWatchTally({ dependencies, scope, caller }: VerbCall): WatchTally | undefined {
  const { observed, clock } = dependencies;
  if (observed === undefined) return undefined;
  const { notify, activity } = observed;
  const { group, version, namespace } = scope;
  const watch: WatchIdentity = { caller: caller.name, group, version, namespace, scope: reportedScope(scope) };
  const since = clock.monotonic();
  let frames = 0;
  let bytes = 0;
  notify({ type: 'watch.started', ...watch });
  return {
    frames(count) {
      frames += count;
      activity.sent(group, version, count, 0);
    },
    bytes(count) {
      bytes += count;
      activity.sent(group, version, 0, count);
    },
    ended: (reason) =>
      notify({ type: 'watch.ended', reason, frames, bytes, durationMs: clock.monotonic() - since, ...watch }),
  };
}
