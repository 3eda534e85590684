import { byteLength } from '../validation/byte-length.js';

/** What Go prints as it is. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const MAX_BYTES = 128;
/** So much of a User-Agent is looked at, printable or not. */
const MAX_LOOKED = 4_096;

/**
 * Who changes an object: `fieldManager`, or the name of the client by its User-Agent (what stands before the first slash,
 * printable, at most 128 bytes), or `unknown`.
 */
export function managerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  return fieldManager || clientName(userAgent ?? '') || 'unknown';
}

const SLASH = 0x2f;

/** Where the usual name ends: printable ASCII, short enough; -1 for others. */
function plainEnd(userAgent: string): number {
  for (let at = 0; at <= MAX_BYTES; at++) {
    const code = at < userAgent.length ? userAgent.charCodeAt(at) : SLASH;
    if (code === SLASH) return at;
    if (code < 0x20 || code > 0x7e) return -1;
  }
  return -1;
}

function clientName(userAgent: string): string {
  const end = plainEnd(userAgent);
  if (end !== -1) return userAgent.slice(0, end);
  let name = '';
  let bytes = 0;
  for (const character of userAgent.slice(0, MAX_LOOKED)) {
    if (character === '/') break;
    if (!PRINTABLE.test(character)) continue;
    bytes += byteLength(character);
    if (bytes > MAX_BYTES) break;
    name += character;
  }
  return name;
}
