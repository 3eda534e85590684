import type { EncodedEvent } from '../../contract/record.js';
import { writePrefix, type CommonBytes } from './common-bytes.js';
import { HEADER } from './arena-entry.js';
import { joinFields, type SharedFields } from './shared-fields.js';
import type { SharedPart } from './shared-parts.js';
import type { Arena, EntryAccess } from './arenas.js';
import { nameOf } from './sort-key.js';
import type { Slot, Version } from './version.js';
import { decodeUtf8 } from '../../../json/utf8.js';

const NOTHING = new Uint8Array(0);
/** The cache line size of nearly all processors, in bytes. */
const CACHE_LINE = 64;

/** A private method would do, but each event would need 8 bytes for it. */
function commonBytesOf(set: SharedFields, view: DataView, offset: number): CommonBytes {
  return set.commonBytes[view.getUint8(offset + HEADER.commonBytes)] as CommonBytes;
}

export interface StoredParts {
  readonly set: SharedFields;
  readonly regardingName: string | undefined;
  readonly regardingUid: string | undefined;
  readonly shared: SharedPart | undefined;
}

/**
 * An event whose bytes are in an arena. It is also the version of its key. It is a class, because every write creates
 * one: 96 bytes instead of 700, and records refer to it. Only the location of its bytes (when an arena is compacted)
 * and `older` change. The accessors are own properties so that it can be cloned and compared like a plain object.
 */
export class StoredEvent implements EncodedEvent, Version {
  #arena: Arena;
  #offset: number;
  readonly #slot: Slot;
  readonly #sequence: number;
  #older: Version | undefined;
  readonly #set: SharedFields;
  readonly #regardingName: string | undefined;
  readonly #regardingUid: string | undefined;
  readonly #shared: SharedPart | undefined;

  /** Creates the version of the slot that follows its newest one. */
  constructor(slot: Slot, sequence: number, arena: Arena, offset: number, parts: StoredParts) {
    this.#arena = arena;
    this.#offset = offset;
    this.#slot = slot;
    this.#sequence = sequence;
    this.#older = slot.head;
    this.#set = parts.set;
    this.#regardingName = parts.regardingName;
    this.#regardingUid = parts.regardingUid;
    this.#shared = parts.shared;
    // One call each: `defineProperties` takes 0.8 µs longer.
    Object.defineProperty(this, 'bytes', ACCESSORS.bytes);
    Object.defineProperty(this, 'cut', ACCESSORS.cut);
    Object.defineProperty(this, 'uid', ACCESSORS.uid);
    Object.defineProperty(this, 'fields', ACCESSORS.fields);
    Object.defineProperty(this, 'labels', ACCESSORS.labels);
    Object.freeze(this);
  }

  get slot(): Slot {
    return this.#slot;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get event(): this {
    return this;
  }

  get older(): Version | undefined {
    return this.#older;
  }

  set older(version: Version | undefined) {
    this.#older = version;
  }

  get size(): number {
    const { view } = this.#arena;
    const at = this.#offset;
    const kept =
      view.getUint16(at + HEADER.prefix) + view.getUint32(at + HEADER.before) + view.getUint32(at + HEADER.after);
    return kept + (this.#shared?.bytes.length ?? 0) + commonBytesOf(this.#set, view, at).suffix.length;
  }

  /** Copies all bytes in one call, then moves those before the gap (30 ns; a subarray takes 200), nearly always few. */
  copyApart(target: Uint8Array, at: number, first: number, second: number): void {
    const { bytes, view } = this.#arena;
    const offset = this.#offset;
    const cut = view.getUint32(offset + HEADER.cut);
    const prefix = view.getUint16(offset + HEADER.prefix);
    const before = view.getUint32(offset + HEADER.before);
    const after = view.getUint32(offset + HEADER.after);
    const common = commonBytesOf(this.#set, view, offset);
    const shared = this.#shared?.bytes ?? NOTHING;
    const gap = cut === prefix + before ? second : 0;
    const start = at + first + second - gap;
    const own = start + prefix;
    const rest = own + before + gap + shared.length;
    const from = offset + HEADER.length;
    target.set(bytes.subarray(from, from + before + after), rest - before);
    if (rest > own + before) target.copyWithin(own, rest - before, rest);
    if (shared.length > 0) target.set(shared, own + before + gap);
    if (prefix > 0) writePrefix(common, this.#slot.sortKey, target, start);
    target.set(common.suffix, rest + after);
    if (start === at) return;
    target[at] = target[start] as number;
    if (second > gap) target.copyWithin(at + 1 + first, start + 1, start + cut);
  }

  get bytes(): Uint8Array {
    const joined = new Uint8Array(this.size);
    this.copyApart(joined, 0, 0, 0);
    return joined;
  }

  get cut(): number {
    return this.#arena.view.getUint32(this.#offset + HEADER.cut);
  }

  get uid(): string {
    return StoredEvent.textAt(this, HEADER.uidAt, HEADER.uidLength) ?? this.#set.uid ?? '';
  }

  get fields(): Readonly<Record<string, string>> {
    const set = this.#set;
    if (!set.split) return set.fields;
    const own = [this.#regardingName, this.#regardingUid, StoredEvent.regardingVersion(this)];
    return joinFields(set, nameOf(this.#slot.sortKey), own);
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#set.labels;
  }

  field(name: string): string {
    return StoredEvent.field(this, name);
  }

  /** Returns one field without creating an object for all of them; the empty string if it is absent. */
  static field(event: StoredEvent, field: string): string {
    const set = event.#set;
    if (set.split) {
      if (field === 'regarding.name') return event.#regardingName ?? '';
      if (field === 'regarding.uid') return event.#regardingUid ?? '';
      if (field === 'regarding.resourceVersion') return StoredEvent.regardingVersion(event) ?? '';
      if (field === 'metadata.name') return set.named ? nameOf(event.#slot.sortKey) : '';
    }
    return Object.hasOwn(set.fields, field) ? (set.fields[field] as string) : '';
  }

  /** Read from the bytes if it occurs there: nearly every event has a different one, and it is rarely read. */
  static regardingVersion(event: StoredEvent): string | undefined {
    return StoredEvent.textAt(event, HEADER.versionAt, HEADER.versionLength);
  }

  /** The text whose offset and length the header stores at these offsets; `undefined` when it is not in the bytes. */
  static textAt(event: StoredEvent, at: number, length: number): string | undefined {
    const { view } = event.#arena;
    const count = view.getUint8(event.#offset + length);
    if (count === 0) return undefined;
    const start = view.getUint16(event.#offset + at);
    return decodeUtf8(event.bytes.subarray(start, start + count));
  }

  /** True when the sort key is `namespace/name` unencoded: its characters occur in the bytes as ASCII. */
  static hasPlainKey(event: StoredEvent): boolean {
    return event.#arena.view.getUint16(event.#offset + HEADER.prefix) > 0;
  }

  /** Microseconds since the epoch. */
  static expiresAt(event: StoredEvent): number {
    return event.#arena.view.getFloat64(event.#offset + HEADER.expires);
  }

  /** Reads the key and the bytes, so that they are in the processor's cache when they are copied. */
  static touch(event: StoredEvent): number {
    const { bytes, view } = event.#arena;
    const at = event.#offset;
    const end = at + view.getUint32(at + HEADER.before) + view.getUint32(at + HEADER.after);
    let touched = event.#slot.sortKey.charCodeAt(0);
    for (let offset = at + CACHE_LINE; offset < end; offset += CACHE_LINE) touched ^= bytes[offset] as number;
    return touched;
  }

  static partsOf(event: StoredEvent): Pick<StoredParts, 'set' | 'shared'> {
    return { set: event.#set, shared: event.#shared };
  }

  static readonly access: EntryAccess<StoredEvent> = {
    arenaOf: (event) => event.#arena,
    offsetOf: (event) => event.#offset,
    sizeOf(event) {
      const { view } = event.#arena;
      return (
        HEADER.length + view.getUint32(event.#offset + HEADER.before) + view.getUint32(event.#offset + HEADER.after)
      );
    },
    move(event, arena, offset) {
      event.#arena = arena;
      event.#offset = offset;
    },
  };
}

// Without `set`: a descriptor that has it, although undefined, takes 0.15 µs longer for each property of each event.
const accessor = (name: keyof EncodedEvent): PropertyDescriptor => ({
  get: Object.getOwnPropertyDescriptor(StoredEvent.prototype, name)?.get as () => unknown,
  enumerable: true,
});

const ACCESSORS = {
  bytes: accessor('bytes'),
  cut: accessor('cut'),
  uid: accessor('uid'),
  fields: accessor('fields'),
  labels: accessor('labels'),
};
