import type { ManagedVersion } from '../../api/managed-fields/tracked-object.js';
import type { QuickDecoder } from '../../api/decode/quick-object.js';
import type { StructShape } from '../../api/schema/shape.js';
import type { ResourceView } from '../../api/representation/contract.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Event } from '../../model/event.js';
import type { EventRecord } from '../../store/contract/record.js';

/** One served group-version: how the one stored form is shown and named. No verb depends on a version. */
export interface EventVersion {
  /** API group, empty for core. */
  readonly group: string;
  readonly version: string;
  /** The Event in this version, for responses and for managed fields. */
  readonly view: ResourceView & ManagedVersion;
  /** The Event in the other known versions: a body is decoded and refused, a patch may lead to one of them. */
  readonly otherVersions: ReadonlyMap<string, StructShape>;
  /** A faster decoder for events as most clients send them. */
  readonly decodeCommon?: QuickDecoder | undefined;
  /** Whether the rules of `events/v1` apply; otherwise only the older ones of core/v1. */
  readonly strict: boolean;
  /** The name of a field of the stored form in this version: `note` or `message`. */
  fieldName(stored: string): string;
  /** The labels of field selectors in this version, with the stored form's name of each. */
  readonly selectable: ReadonlyMap<string, string>;
  /** The stored record in this version: JSON with kind and apiVersion, without newline. */
  object(record: EventRecord): JsonSource;
  /** True if a list item is the stored form with its revision, so that JSON of a store can be sent unchanged. */
  readonly listsStored: boolean;
  /** The stored record in this version as a list item: neither kind nor apiVersion. */
  listItem(record: EventRecord): JsonSource;
  /** An event that is not stored (that of a dry run, or a bookmark), with its `resourceVersion`, if any. */
  unstoredJson(event: Event): Uint8Array;
  /** Converts a decoded object of `apiVersion` (default: this version) to the stored form. It may share values. */
  fromWire(object: Record<string, unknown>, apiVersion?: string): Event;
  /** Converts the stored form to an object of this version, without kind and apiVersion. It may share values. */
  toWire(event: Event): Record<string, unknown>;
}
