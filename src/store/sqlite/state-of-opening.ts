import type { Revision } from '../contract/event-store.js';
import type { EngineFile } from './engine-file.js';
import { timeOf, type State } from './state.js';

/** A file that may have lost revisions goes on so far above: more than anybody writes between two copies. */
const BEYOND = 1_000_000_000;

/**
 * Where an opening begins, which its mark is told. It never gives out a revision again: the file that was open here last
 * goes on where it was, by the clock or by its own counter. Any other one, a copy that was restored above all, has lost
 * nobody knows what: it begins above everything that can have been, and what clients remember from before is expired.
 */
export function stateOfOpening(
  found: State,
  { mark, isNew }: Pick<EngineFile, 'mark' | 'isNew'>,
  startAt: Revision | undefined,
  now: number,
): State {
  const proven = isNew ? mark.latest < found.latest : mark.isProven(found);
  const beyond = Math.max(startAt ?? now, mark.latest, found.latest) + BEYOND;
  const least = proven ? (startAt === undefined ? now : found.latest) : beyond;
  const latest = Math.max(found.latest, Math.min(Number.MAX_SAFE_INTEGER, Math.floor(least)));
  const opening = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  // Whether the number gets into a file that is proven does not matter; another one stays unproven until it has.
  mark.begin(proven ? [found.opening, opening] : [opening], proven ? found.latest : latest);
  return { ...found, ...timeOf(found, now), latest, floor: proven ? found.floor : latest, opening };
}
