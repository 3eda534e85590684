// Keys of mutants that do not depend on the lines above them in the file, so that a seed chooses the same mutants after
// a change elsewhere, and the list of equivalent ones stays valid.
import { createHash } from 'node:crypto';

const shorten = (text) => {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return plain.length <= 160 ? plain : `${plain.slice(0, 160)}…`;
};

/**
 * The keys of the mutants of one file, in their order. Mutants that look alike are counted.
 *
 * @param source The file's text.
 * @param mutants With `line` from 0.
 */
export function keysOf(file, source, mutants) {
  const lines = source.split('\n');
  const seen = new Map();
  return mutants.map(({ line, mutatorName, replacement }) => {
    const key = { file, line: lines[line].trim(), mutator: mutatorName, replacement: shorten(replacement ?? '') };
    const text = textOf(key);
    const nth = (seen.get(text) ?? 0) + 1;
    seen.set(text, nth);
    return textOf({ ...key, nth });
  });
}

/** `nth` is 1 by default. */
export function textOf({ file, line, mutator, replacement, nth = 1 }) {
  return JSON.stringify([file, line, mutator, replacement, nth]);
}

/** A key as tests/mutation/equivalent.json lists it, where `why` follows. */
export function entryOf(key) {
  const [file, line, mutator, replacement, nth] = JSON.parse(key);
  return { file, line, mutator, replacement, ...(nth > 1 && { nth }) };
}

/** The keys in the order of a seed. */
export function inOrderOf(seed, keys) {
  const rank = (key) => createHash('sha256').update(`${seed}\n${key}`).digest('hex');
  const ranked = keys.map((key) => [rank(key), key]);
  return ranked.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, key]) => key);
}

/** The requested room that a file belongs to: the one with the longest path. */
export function roomOf(rooms, file) {
  const within = rooms.filter((room) => file === `src/${room}.ts` || file.startsWith(`src/${room}/`));
  return within.sort((a, b) => b.length - a.length)[0];
}
