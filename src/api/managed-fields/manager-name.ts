import { PRINTABLE } from '../../json/go-print.js';
import { byteLength } from '../validation/byte-length.js';

const MAX_BYTES = 128;
const MAX_LOOKED = 4_096;

/** `fieldManager`, or the User-Agent before its first slash (printable, at most 128 bytes), or `unknown`. */
export function managerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  return fieldManager || clientName(userAgent ?? '') || 'unknown';
}

const PLAIN = /^([ -.0-~]{0,128})(?:\/|$)/;

function clientName(userAgent: string): string {
  const plain = PLAIN.exec(userAgent)?.[1];
  if (plain !== undefined) return plain;
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
