/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  /** The offset of the first byte. */
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

/**
 * Where an event's bytes repeat what is known elsewhere, so that a store can keep it once. Offsets in bytes, -1: nowhere.
 * These are hints: a store checks what it relies on, and may ignore all of them.
 */
export interface ByteHints {
  /**
   * The name and the namespace of the key, as they are. What stands before the name, and between the two, is the same in
   * nearly all events.
   */
  readonly name: number;
  /** Where the namespace stands. */
  readonly namespace: number;
  /** The uid, as it is. */
  readonly uid: number;
  /** The field `regarding.resourceVersion`, as it is. */
  readonly regardingVersion: number;
  /** Ranges that other events are likely to have as well. Where they overlap, the first that is found is the best. */
  readonly shared: readonly ByteRange[];
  /** Nearly all events have the same bytes from here to the end. */
  readonly suffix: number;
}
