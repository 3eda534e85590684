import type { Clock } from '../../clock/clock.js';
import { hasCode, isStoreError, storeError, type StoreError } from '../contract/errors.js';
import type { Revision } from '../contract/record.js';
import { withinDeadline, type CallContext } from './call-context.js';
import { unlessLost, type EtcdClient } from './client.js';
import type { Layout } from './layout.js';
import { get, put, type RangeRequest, type RangeResponse, type TxnRequest, type TxnResponse } from './connection.js';
import { floorOf, liftOf, liftRange, liftTxn, liftValue, liftWatch, NO_LIFT, unliftedConditions } from './lift.js';
import type { Lift } from './lift.js';

/** A lift exceeds everything this replica has seen by this much: others may have seen more. */
const BEYOND = 1_000_000_000;
/** How often a replica that only reads checks whether another one has lifted the revisions. */
const CONFIRM_MS = 5000;

export interface LiftedClient extends EtcdClient {
  seen(): Revision;
  /** Nothing before this revision can be read any more. */
  floor(): Revision;
}

/**
 * A client whose revisions never go back. A response with a lower revision than was known when the request was sent
 * shows that the cluster was restored from a backup, or created again. Then this replica lifts revisions
 * (`<prefix>.uplift`) far above everything that was seen, and what came before is expired, open watches included. Each
 * write is conditional on that key, so that no other replica continues without it.
 */
export function createLiftedClient(inner: EtcdClient, layout: Layout, clock: Clock): LiftedClient {
  const { liftKey } = layout;
  let current: Lift = NO_LIFT;
  let confirmedAt = -Infinity;
  let seen: Revision = 0;
  let finding: Promise<void> | undefined;
  /** A response was behind a known revision. True until it is confirmed, even if others have written enough since. */
  let wentBack = false;

  const expired = (): StoreError => {
    const floor = floorOf(current);
    return storeError('expired', `the counter of etcd went back, the history begins at ${floor}`, { current: floor });
  };

  const adopt = (next: Lift): void => {
    const isFirst = confirmedAt === -Infinity;
    confirmedAt = clock.monotonic();
    if (current.mod === next.mod && current.offset === next.offset) return;
    current = next;
    if (isFirst) return;
    seen = Math.max(seen, next.mod + next.offset);
    inner.endWatches(expired());
  };

  /** Reads the lift, and raises it if etcd is behind what was seen. */
  const find = async (context: CallContext): Promise<void> => {
    for (;;) {
      const since = seen;
      const isDue = wentBack;
      const { kvs, revision } = await inner.range({ key: liftKey }, context);
      const found = liftOf(kvs[0]);
      const moved = found.mod !== current.mod || found.offset !== current.offset;
      if (revision + found.offset >= since && (moved || !isDue)) {
        if (isDue) wentBack = false;
        adopt(found);
        return;
      }
      const offset = seen + BEYOND;
      const raise = { compare: [{ key: liftKey, revision: found.mod }], success: [put(liftKey, liftValue(offset))] };
      // If it is lost, the next read shows whether it happened.
      const lifted = await unlessLost(inner.txn(raise, context));
      if (lifted?.succeeded !== true) continue;
      await inner.txn(layout.mark, context).catch(() => undefined);
      wentBack = false;
      adopt({ offset, mod: lifted.revision });
      return;
    }
  };
  /** One at a time, for all callers, with the deadline of the first: callers with less time fail earlier. */
  const confirm = async (context: CallContext): Promise<void> => {
    do {
      context.signal?.throwIfAborted();
      if (clock.monotonic() >= context.end) throw storeError('unavailable', 'etcd did not respond in time');
      finding ??= find({ end: context.end, signal: undefined, outcomeUnknown: false }).finally(() => {
        finding = undefined;
      });
      await withinDeadline(clock, finding, context);
    } while (wentBack);
  };
  const currentLift = async (context: CallContext): Promise<Lift> => {
    while (clock.monotonic() - confirmedAt > CONFIRM_MS) await confirm(context);
    return current;
  };

  const range = async (request: RangeRequest, context: CallContext): Promise<RangeResponse> => {
    for (;;) {
      const known = await currentLift(context);
      const since = seen;
      const { revision } = request;
      if (revision !== undefined && revision < floorOf(known)) throw expired();
      const { offset } = known;
      let response: RangeResponse;
      try {
        response = await inner.range({ ...request, revision: revision && revision - offset }, context);
      } catch (error) {
        if (!hasCode(error, 'future-revision')) throw error;
        // It may be a revision from before the counter went back.
        await confirm(context);
        if (current !== known) continue;
        throw error;
      }
      if (current !== known) continue;
      const lifted = liftRange(response, known);
      if (lifted.revision < since) {
        wentBack = true;
        await confirm(context);
        continue;
      }
      seen = Math.max(seen, lifted.revision);
      return lifted;
    }
  };

  const bound =
    (send: EtcdClient['txn']) =>
    async (request: TxnRequest, context: CallContext): Promise<TxnResponse> => {
      for (;;) {
        const known = await currentLift(context);
        const since = seen;
        const response = await send(
          {
            compare: [...unliftedConditions(request.compare ?? [], known), { key: liftKey, revision: known.mod }],
            success: request.success,
            failure: [...(request.failure ?? []), get(liftKey)],
          },
          context,
        );
        const { succeeded, steps } = response;
        if (!succeeded && (steps.at(-1)?.[0]?.modRevision ?? 0) !== known.mod) {
          // Another replica lifted the revisions, or etcd lost the lift. Nothing was written.
          await confirm(context);
          continue;
        }
        const own = succeeded ? response : { ...response, steps: steps.slice(0, -1) };
        const reached = response.revision + known.offset;
        // A write has a revision of its own, above all that were seen.
        if (succeeded && request.success.length > 0 ? reached <= since : reached < since) {
          wentBack = true;
          await confirm(context).catch((error: unknown) => {
            if (!succeeded || !isStoreError(error)) throw error;
            const message = `the counter of etcd went back during a write: ${error.message}`;
            throw storeError('unknown-outcome', message, { cause: error });
          });
        }
        confirmedAt = clock.monotonic();
        // A lift applies to writes before it; one with a later revision was lost with the cluster it was written to.
        const counts = response.revision < current.mod ? current : known;
        const lifted = liftTxn(own, counts);
        seen = Math.max(seen, lifted.revision);
        return lifted;
      }
    };

  return {
    ...inner,
    range,
    txn: bound(inner.txn),
    txnOnce: bound(inner.txnOnce),
    seen: () => seen,
    floor: () => floorOf(current),
    async compact(revision, context) {
      const { offset } = await currentLift(context);
      if (revision > offset) await inner.compact(revision - offset, context);
    },
    async watch(request, listener, context) {
      const known = await currentLift(context);
      const { offset } = known;
      if (request.startRevision < floorOf(known)) throw expired();
      const handle = await inner.watch(
        { ...request, startRevision: Math.max(1, request.startRevision - offset) },
        {
          response(response) {
            // It waits for a future revision: the member is slow, or has just started.
            const waits = response.created && response.revision + offset < request.startRevision;
            if (waits || response.events.some(({ kv }) => layout.isLift(kv.key))) {
              confirm(inner.callContext(undefined)).catch(() => undefined);
            }
            const lifted = liftWatch(response, known);
            // What the watches of a replica have shown, it has seen, even where it reads and writes nothing.
            if (!response.canceled) seen = Math.max(seen, lifted.revision);
            listener.response(lifted);
          },
          end: (failure) => listener.end(failure),
        },
        context,
      );
      if (current === known) return handle;
      handle.cancel();
      throw expired();
    },
  };
}
