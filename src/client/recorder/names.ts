import type { Event } from '../../model/event.js';

/** The longest prefix: a name has at most 253 bytes, including a dot and the time in hexadecimal. */
const MAX_PREFIX_LENGTH = 236;

/**
 * Makes names as client-go does: the name of the object, a dot, and the time in nanoseconds as hexadecimal digits. What
 * is below the clock's milliseconds is random, because replicas report about one object at the same time.
 */
export function createEventNames(): (event: Event, micros: number) => string {
  let last = 0n;
  let lastMs = 0;
  return ({ regarding }, micros) => {
    last += 1n;
    const ms = Math.floor(micros / 1000);
    // Once a millisecond: a random number costs more than the rest of a name.
    if (ms !== lastMs) {
      const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
      const nanos = BigInt(ms) * 1_000_000n + BigInt(random % 1_000_000);
      lastMs = ms;
      if (nanos > last) last = nanos;
    }
    return `${nameOf(regarding?.name ?? '')}.${last.toString(16)}`;
  };
}

function nameOf(text: string): string {
  const name = text
    .toLowerCase()
    .slice(0, MAX_PREFIX_LENGTH)
    .replace(/[^a-z0-9.]/g, '-')
    .replace(/[-.]*\.[-.]*/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '');
  return name || 'event';
}
