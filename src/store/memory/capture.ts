import type { EncodedEvent } from '../record.js';

function captureStrings(source: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.isFrozen(source)) return source;
  // Both ways define own properties, so that a key `__proto__` stays plain data.
  const bare = Object.getPrototypeOf(source) === null;
  const copy: Record<string, string> = bare ? Object.assign(Object.create(null) as object, source) : { ...source };
  return Object.freeze(copy);
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
