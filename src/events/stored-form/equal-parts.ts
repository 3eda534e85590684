import type { Event, EventSeries, EventSource, ObjectReference } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';

/**
 * Gives `to` the parts of `from` that are equal to its own. An update sends nearly all of the stored event again: whoever
 * looks for differences then finds most parts to be the same at once, which saves 5 µs of an update.
 */
export function shareEqualParts(to: Event, from: Event): void {
  if (sameReference(to.regarding, from.regarding)) to.regarding = from.regarding as ObjectReference;
  if (sameSource(to.deprecatedSource, from.deprecatedSource))
    to.deprecatedSource = from.deprecatedSource as EventSource;
  if (sameTexts(to.metadata.labels, from.metadata.labels)) {
    to.metadata.labels = from.metadata.labels as Record<string, string>;
  }
}

/** Whether the events have the same in all fields but metadata and series. Parts that are equal but not shared count as others. */
export function sharesFields(one: Event, other: Event): boolean {
  return (
    one.note === other.note &&
    one.regarding === other.regarding &&
    one.eventTime === other.eventTime &&
    one.reason === other.reason &&
    one.action === other.action &&
    one.type === other.type &&
    one.reportingController === other.reportingController &&
    one.reportingInstance === other.reportingInstance &&
    one.related === other.related &&
    one.deprecatedSource === other.deprecatedSource &&
    one.deprecatedFirstTimestamp === other.deprecatedFirstTimestamp &&
    one.deprecatedLastTimestamp === other.deprecatedLastTimestamp &&
    one.deprecatedCount === other.deprecatedCount
  );
}

/** Whether the metadata of an event is that of one that has none but the usual fields; managed fields do not count. */
export function sharesMetadata(one: ObjectMeta, usual: ObjectMeta): boolean {
  return (
    one.name === usual.name &&
    one.namespace === usual.namespace &&
    one.uid === usual.uid &&
    one.creationTimestamp === usual.creationTimestamp &&
    one.labels === usual.labels &&
    one.annotations === undefined &&
    one.generateName === undefined &&
    one.generation === undefined &&
    one.deletionTimestamp === undefined &&
    one.deletionGracePeriodSeconds === undefined &&
    one.ownerReferences === undefined &&
    one.finalizers === undefined
  );
}

/** Whether both have the same series, by value. */
export function sameSeries(one: EventSeries | undefined, other: EventSeries | undefined): boolean {
  if (!one || !other) return one === other;
  return one.count === other.count && one.lastObservedTime === other.lastObservedTime;
}

function sameReference(one: ObjectReference | undefined, other: ObjectReference | undefined): boolean {
  if (!one || !other) return false;
  return (
    one.name === other.name &&
    one.uid === other.uid &&
    one.kind === other.kind &&
    one.namespace === other.namespace &&
    one.apiVersion === other.apiVersion &&
    one.resourceVersion === other.resourceVersion &&
    one.fieldPath === other.fieldPath
  );
}

function sameSource(one: EventSource | undefined, other: EventSource | undefined): boolean {
  if (!one || !other) return false;
  return one.component === other.component && one.host === other.host;
}

type Texts = Readonly<Record<string, string>>;

function sameTexts(one: Texts | undefined, other: Texts | undefined): boolean {
  if (!one || !other) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) if (!Object.hasOwn(other, key) || one[key] !== other[key]) return false;
  return true;
}
