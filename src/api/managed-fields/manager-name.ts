import { byteLength } from '../validation/byte-length.js';

/** What Go prints as it is. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const MAX_BYTES = 128;

/**
 * Who changes an object: `fieldManager`, or the name of the client by its User-Agent (what stands before the first slash,
 * printable, at most 128 bytes), or `unknown`.
 */
export function managerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  return fieldManager || clientName(userAgent ?? '') || 'unknown';
}

/** The usual name in full: printable ASCII, short enough. */
const PLAIN_NAME = /^[ -.0-~]{0,128}(?=\/|$)/;

function clientName(userAgent: string): string {
  const plain = PLAIN_NAME.exec(userAgent);
  if (plain) return plain[0];
  let name = '';
  let bytes = 0;
  for (const character of userAgent) {
    if (character === '/') break;
    if (!PRINTABLE.test(character)) continue;
    bytes += byteLength(character);
    if (bytes > MAX_BYTES) break;
    name += character;
  }
  return name;
}
