/** Kubernetes' alphabet: no vowels and no look-alikes, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE = 58;

/** A name from a prefix: at most 58 characters of it, and five random ones. */
export function generateName(base: string): string {
  let suffix = '';
  for (const byte of randomBytes()) suffix += ALPHABET[byte % ALPHABET.length] ?? '';
  return base.slice(0, MAX_BASE) + suffix;
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
