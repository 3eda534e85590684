import { encodeFields } from '../api/encode/encode-json.js';
import { lazy } from '../api/schema/lazy.js';
import type { FieldShape, StructShape } from '../api/schema/shape.js';
import type { Event } from '../model/event.js';
import type { EncodedEvent } from '../store/record.js';
import { eventShape } from './schema.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Parts {
  /** The fields of metadata before and after `resourceVersion`. */
  readonly head: readonly FieldShape[];
  readonly tail: readonly FieldShape[];
  /** The event's fields after metadata. */
  readonly rest: readonly FieldShape[];
}

const parts: () => Parts = lazy(() => {
  const event = eventShape();
  const meta = (event.byName.get('metadata') as FieldShape).shape as StructShape;
  const at = meta.fields.findIndex((field) => field.name === 'resourceVersion');
  return {
    head: meta.fields.slice(0, at),
    tail: meta.fields.slice(at + 1),
    rest: event.fields.filter((field) => field.protobuf !== 0 && field.name !== 'metadata'),
  };
});

/**
 * The form events are stored in: `kind`, `apiVersion` and `metadata.resourceVersion` are left out, whatever the event
 * has. An event to be stored has a uid and a creationTimestamp; one without them (a dry run's) gives valid JSON, into
 * which no revision can be put.
 */
export function encodeEvent(event: Event): EncodedEvent {
  const { head, tail, rest } = parts();
  const metadata = event.metadata as Readonly<Record<string, unknown>>;
  const before = encodeFields(metadata, head);
  const after = encodeFields(metadata, tail);
  const opening = `{"metadata":{${before}${before !== '' && after !== '' ? ',' : ''}`;
  const text = `${opening}${after}},${encodeFields(event as unknown as Readonly<Record<string, unknown>>, rest)}}`;
  const bytes = encoder.encode(text);
  const cut = bytes.length === text.length ? opening.length : encoder.encode(opening).length;
  return { bytes, cut, uid: event.metadata.uid ?? '', fields: fieldsOf(event), labels: labelsOf(event) };
}

/** A stored event as an object of its own. The bytes are trusted: they were made by {@link encodeEvent}. */
export function decodeEvent(bytes: Uint8Array): Event {
  return JSON.parse(decoder.decode(bytes)) as Event;
}

/** What field selectors read; empty values are left out. */
function fieldsOf(event: Event): Record<string, string> {
  const fields: Record<string, string> = {};
  const set = (name: string, value: string | undefined): void => {
    if (value) fields[name] = value;
  };
  set('metadata.name', event.metadata.name);
  set('metadata.namespace', event.metadata.namespace);
  set('reason', event.reason);
  set('type', event.type);
  set('reportingController', event.reportingController);
  // As core/v1 has it: the reporter's older name, or the newer one.
  set('source', event.deprecatedSource?.component || event.reportingController);
  const { regarding } = event;
  if (regarding) {
    set('regarding.kind', regarding.kind);
    set('regarding.namespace', regarding.namespace);
    set('regarding.name', regarding.name);
    set('regarding.uid', regarding.uid);
    set('regarding.apiVersion', regarding.apiVersion);
    set('regarding.resourceVersion', regarding.resourceVersion);
    set('regarding.fieldPath', regarding.fieldPath);
  }
  return fields;
}

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/** A copy without a prototype: label keys are the client's, and `constructor` is one. */
function labelsOf({ metadata: { labels } }: Event): Readonly<Record<string, string>> {
  if (!labels) return NO_LABELS;
  return Object.assign(Object.create(null) as Record<string, string>, labels);
}
