import type { EncodedEvent } from '../record.js';

function captureStrings(source: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.isFrozen(source)) return source;
  // Both ways define own properties, so that a key `__proto__` stays plain data.
  const copy = Object.getPrototypeOf(source) === null ? Object.assign(Object.create(null), source) : { ...source };
  return Object.freeze(copy as Record<string, string>);
}

/** A copy that the caller cannot change later. */
export function captureEvent(event: EncodedEvent): EncodedEvent {
  return Object.freeze({
    bytes: new Uint8Array(event.bytes),
    cut: event.cut,
    uid: event.uid,
    fields: captureStrings(event.fields),
    labels: captureStrings(event.labels),
  });
}
