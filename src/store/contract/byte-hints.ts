/** The offset of the name, in the stored form of an event that has one. */
export const NAME_AT: number = '{"metadata":{"name":"'.length;
export const NAME_TO_NAMESPACE: number = '","namespace":"'.length;
/** From the end of the uid to where the revision belongs. */
export const UID_TO_CUT: number = '",'.length;
/** How many bytes before the managed fields may be shared with them: a time, and a few common labels. */
export const SHARED_BEFORE = 160;

/** Where managed fields begin to be the same for events of different times. */
export const MANAGED_TYPE = '"fieldsType":';

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  /** The offset of the first byte. */
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

/**
 * Where an event's bytes repeat data that is known from elsewhere, so that a store can store it once. Offsets in bytes;
 * -1: absent. These are hints: a store verifies those that it uses, and may ignore all of them.
 */
export interface ByteHints {
  /**
   * Where the name of the key occurs, verbatim. The bytes before the name, and between name and namespace, are the same
   * in nearly all events.
   */
  readonly name: number;
  /** Where the namespace of the key occurs, verbatim. */
  readonly namespace: number;
  /** Where the uid occurs, verbatim. */
  readonly uid: number;
  /** Where the value of `regarding.resourceVersion` occurs, verbatim. */
  readonly regardingVersion: number;
  /**
   * Ranges that other events are likely to have as well. Where they overlap, the first one that is found is the best.
   */
  readonly shared: readonly ByteRange[];
  /** Nearly all events have the same bytes from this offset to the end. */
  readonly suffix: number;
}
