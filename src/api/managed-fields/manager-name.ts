import { byteLength } from '../validation/byte-length.js';

/** Characters that Go regards as printable. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const MAX_BYTES = 128;
/** How much of a User-Agent is read. */
const MAX_LOOKED = 4_096;

/**
 * The manager of a change: `fieldManager`, or the name of the client from its User-Agent (the part before the first slash,
 * printable, at most 128 bytes), or `unknown`.
 */
export function managerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  return fieldManager || clientName(userAgent ?? '') || 'unknown';
}

const SLASH = 0x2f;

/** Fast path: the end of a short name in printable ASCII; -1 for other names. */
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
