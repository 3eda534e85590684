import type { ManagedVersion } from '../../api/managed-fields/tracked-object.js';
import type { QuickDecoder } from '../../api/decode/quick-object.js';
import type { StructShape } from '../../api/schema/shape.js';
import type { ResourceView } from '../../api/representation/contract.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Event } from '../../model/event.js';
import type { EventRecord } from '../../store/contract/record.js';

/**
 * One served group-version of the Event resource. Events are stored in one form; a version says how that form looks and
 * what it is called there. Everything that differs between versions stands here, so that verbs know none.
 */
export interface EventVersion {
  /** API group, empty for core. */
  readonly group: string;
  readonly version: string;
  readonly view: ResourceView;
  /** The Event in this version. */
  readonly shape: StructShape;
  /**
   * The Event in the other versions that are known, by apiVersion, served or not. A body of theirs is read, and refused as
   * one of the wrong version; a patch that makes the event one of theirs is understood.
   */
  readonly otherVersions: ReadonlyMap<string, StructShape>;
  /** For events as most clients send them; there need not be one. */
  readonly decodeUsual?: QuickDecoder | undefined;
  /** The version as managed fields know it. */
  readonly managed: ManagedVersion;
  /** The rules of `events/v1`; without them only the older ones of core/v1. */
  readonly strict: boolean;
  /** What a field of the stored form is called here: `note` or `message`. */
  fieldName(stored: string): string;
  /** The labels field selectors may use here, with the stored form's name of each. */
  readonly selectable: ReadonlyMap<string, string>;
  /** The stored record in this version: JSON with kind and apiVersion, without newline. */
  objectJson(record: EventRecord): Uint8Array;
  /** The same, for an answer of its own. */
  object(record: EventRecord): JsonSource;
  /** True when a list item is the stored form with its revision: what a store has joined can be sent as it is. */
  readonly listsStored: boolean;
  /** The stored record in this version as a list item: neither kind nor apiVersion. */
  listItem(record: EventRecord): JsonSource;
  /** An event that is not stored (a dry run's, or a bookmark), with the `resourceVersion` it carries, if any. */
  unstoredJson(event: Event): Uint8Array;
  /** The stored form from a decoded object of this version, or of the known one with that apiVersion. It may share values. */
  fromWire(object: Record<string, unknown>, apiVersion?: string): Event;
  /** The reverse: the stored form as an object of this version, without kind and apiVersion. It may share values. */
  toWire(event: Event): Record<string, unknown>;
}
