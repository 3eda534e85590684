import type { Event } from '../../model/event.js';

/** An event that was added, updated or deleted. */
export interface EventChange {
  /** What happened to the event. */
  readonly type: 'added' | 'updated' | 'deleted';
  /**
   * The event after the change; of a deleted one its last state. `metadata.resourceVersion` is that of the change.
   * Where the deletion was missed ({@link EventChange.missed}), it is the last state that was seen: all of it where
   * events are remembered, else only `metadata` with `name`, `namespace`, `uid` and `resourceVersion`.
   */
  readonly event: Event;
  /** The event before the change, where events are remembered (`remember: 'events'`, `createEventsCache`). */
  readonly previous?: Event | undefined;
  /** True for a deletion found by comparing lists, because the change itself was no longer in the server's history. */
  readonly missed?: boolean | undefined;
  /**
   * The resourceVersion from which `watchEvents` resumes after this change. Absent while a list is being read, because
   * no single revision shows how much of a list has been returned.
   */
  readonly position?: string | undefined;
}

/**
 * Only with `remember: false`: unknown changes were missed. The events that exist follow as `added`; of a watch that
 * began at a resourceVersion, only those newer than its last position.
 */
export interface RelistedNotice {
  /** Always `relisted`. */
  readonly type: 'relisted';
}
