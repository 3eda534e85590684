// Written by `npm run generate` from events/resource/schema.ts. Change the schema, not this file.

import type { ListMeta, ObjectMeta } from './object-meta.js';

/**
 * A report of something that happened in the cluster, usually a change of state. Events are informative, best-effort
 * supplemental data: they are kept for a limited time and may be lost, so nothing should depend on one arriving. What
 * triggers an event and what its message says may change over time: readers must not conclude from an equal reason
 * that the trigger is the same, or rely on events with that reason to exist in the future. Times are RFC 3339 texts in
 * UTC: with six fractional digits where they are MicroTime, whole seconds elsewhere.
 */
export interface Event {
  /** The kind of object this is. May be left out where the path already says it. */
  kind?: string | undefined;
  /** Group and version this form of the object belongs to. May be left out where the path already says it. */
  apiVersion?: string | undefined;
  /** Standard object metadata: name, namespace, labels and so on. */
  metadata: ObjectMeta;
  /** When the event was first observed. */
  eventTime?: string | null | undefined;
  /** Set if this event stands for several occurrences; absent for a single one. */
  series?: EventSeries | undefined;
  /** The name of the controller that reported the event, such as example.com/backup. */
  reportingController?: string | undefined;
  /** The instance of the controller that reported the event, at most 128 bytes. */
  reportingInstance?: string | undefined;
  /** The action that was taken or failed, machine-readable, at most 128 bytes. */
  action?: string | undefined;
  /** Why the action was taken, for people to read, at most 128 bytes. */
  reason?: string | undefined;
  /** The object that the event is about. */
  regarding?: ObjectReference | undefined;
  /** A second object that was involved. */
  related?: ObjectReference | undefined;
  /** What happened, for people to read, at most 1024 bytes. Clients must be prepared for up to 64 kB. */
  note?: string | undefined;
  /** Normal or Warning, machine-readable; more values may be added later. */
  type?: string | undefined;
  /** The component that reported the event; used by events of core/v1. */
  deprecatedSource?: EventSource | undefined;
  /** Time of the first occurrence; used by events of core/v1. */
  deprecatedFirstTimestamp?: string | null | undefined;
  /** Time of the last occurrence; used by events of core/v1. */
  deprecatedLastTimestamp?: string | null | undefined;
  /** Number of occurrences; used by events of core/v1. */
  deprecatedCount?: number | undefined;
}

/** The component that reported an event of core/v1. */
export interface EventSource {
  /** The name of the component. */
  component?: string | undefined;
  /** The node on which the component runs. */
  host?: string | undefined;
}

/** A reference to an object, or to a part of one. */
export interface ObjectReference {
  /** Kind of the object. */
  kind?: string | undefined;
  /** Namespace of the object. */
  namespace?: string | undefined;
  /** Name of the object. */
  name?: string | undefined;
  /** UID of the object. */
  uid?: string | undefined;
  /** Group and version of the object. */
  apiVersion?: string | undefined;
  /** The version of the object that is referred to. */
  resourceVersion?: string | undefined;
  /** The part of the object that is referred to, such as spec.containers{web}. */
  fieldPath?: string | undefined;
}

/** The number of occurrences of an event, and the time of the last one. */
export interface EventSeries {
  /** The number of occurrences so far, at least 2. */
  count: number;
  /** When the event was last observed. */
  lastObservedTime: string | null;
}

/** A list of events. Its items carry neither `kind` nor `apiVersion`. */
export interface EventList {
  /** Always EventList. */
  kind: string;
  /** Group and version of the list and of its items. */
  apiVersion: string;
  /** The revision of the list, and where the next page begins. */
  metadata: ListMeta;
  /** The events of this page. */
  items: Event[];
}
