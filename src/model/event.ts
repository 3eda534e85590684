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
  /** Name, namespace, labels and the like. */
  metadata: ObjectMeta;
  /** When the event was first observed. */
  eventTime?: string | null | undefined;
  /** Says that the event happened several times; absent for one that happened once. */
  series?: EventSeries | undefined;
  /** Who reports: the name of a controller such as example.com/backup. */
  reportingController?: string | undefined;
  /** Which instance of the controller reports, at most 128 bytes. */
  reportingInstance?: string | undefined;
  /** What was done or failed, machine-readable, at most 128 bytes. */
  action?: string | undefined;
  /** Why it was done, for people to read, at most 128 bytes. */
  reason?: string | undefined;
  /** The object the event is about. */
  regarding?: ObjectReference | undefined;
  /** A second object that took part. */
  related?: ObjectReference | undefined;
  /** What happened, for people to read, at most 1024 bytes. Clients must be prepared for up to 64 kB. */
  note?: string | undefined;
  /** Normal or Warning, machine-readable; more values may be added later. */
  type?: string | undefined;
  /** The reporter, as core/v1 has it. */
  deprecatedSource?: EventSource | undefined;
  /** When it first happened, as core/v1 has it. */
  deprecatedFirstTimestamp?: string | null | undefined;
  /** When it last happened, as core/v1 has it. */
  deprecatedLastTimestamp?: string | null | undefined;
  /** How often it happened, as core/v1 has it. */
  deprecatedCount?: number | undefined;
}

/** Who reports an event, in its older form. */
export interface EventSource {
  /** The component that reports. */
  component?: string | undefined;
  /** The node it runs on. */
  host?: string | undefined;
}

/** Points at an object, or at a part of one. */
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
  /** The version of the object that is meant. */
  resourceVersion?: string | undefined;
  /** The part that is meant, such as spec.containers{web}. */
  fieldPath?: string | undefined;
}

/** How often an event was seen, and when last. */
export interface EventSeries {
  /** How many times the event was seen so far, at least 2. */
  count: number;
  /** When the event was seen last. */
  lastObservedTime: string | null;
}

/** A list of events (specification 2.4). Its items carry neither `kind` nor `apiVersion`. */
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
