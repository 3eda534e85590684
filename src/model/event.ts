import type { ListMeta, ObjectMeta } from './object-meta.js';

/**
 * An Event as `events.<api_domain>/v1` puts it on the wire (specification 2.1). `eventTime` and
 * `series.lastObservedTime` are MicroTime strings, always written with six fractional digits; the deprecated
 * timestamps are whole seconds.
 */
export interface Event {
  kind?: string;
  apiVersion?: string;
  metadata: ObjectMeta;
  eventTime?: string | null;
  series?: EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: EventSource;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
}

/** A run of equal events (specification 2.2). */
export interface EventSeries {
  count: number;
  lastObservedTime: string | null;
}

/** Which object an event speaks of. */
export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** The reporter of an event in its older form (specification 2.3). */
export interface EventSource {
  component?: string;
  host?: string;
}

/** A list of events (specification 2.4). Its items carry neither `kind` nor `apiVersion`. */
export interface EventList {
  kind: string;
  apiVersion: string;
  metadata: ListMeta;
  items: Event[];
}
