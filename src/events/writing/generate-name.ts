import { longerThan } from '../../api/validation/byte-length.js';

/** Kubernetes' alphabet: no vowels and no look-alikes, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_BYTES = 58;

/** A name from a prefix: at most 58 bytes of it, characters whole, and five random ones. */
export function generateName(base: string): string {
  let suffix = '';
  for (const byte of randomBytes()) suffix += ALPHABET[byte % ALPHABET.length] ?? '';
  return beginning(base) + suffix;
}

function beginning(base: string): string {
  if (!longerThan(base, MAX_BASE_BYTES)) return base;
  // Bytes of a character that does not fit are left alone, so that `read` is what fits.
  const { read } = new TextEncoder().encodeInto(base, new Uint8Array(MAX_BASE_BYTES));
  return base.slice(0, read);
}

/** Uniform over the alphabet: bytes beyond the last whole multiple are thrown away. */
function* randomBytes(): Generator<number> {
  const limit = 256 - (256 % ALPHABET.length);
  let found = 0;
  while (found < SUFFIX_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(16))) {
      if (byte >= limit || found === SUFFIX_LENGTH) continue;
      found++;
      yield byte;
    }
  }
}
