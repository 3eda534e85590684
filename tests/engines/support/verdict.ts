import { checkOrder } from '../linearizability/check-order.js';
import { checkWatch } from '../linearizability/check-watch.js';
import { differences, findTruth, stateAt, type Step } from '../linearizability/truth.js';
import type { History, Seen } from './history.js';
import type { Walk } from './pages.js';
import type { WatchRecorder } from './watch-recorder.js';

/** The beginning of the names of events that mark a moment, and that no client touches. */
export const MARK = 'mark-';

/** Everything that was recorded in a round. */
export interface Evidence {
  readonly history: History;
  readonly watchers: readonly WatchRecorder[];
  /** Walks during the load, and one at the end, when nothing changes any more. */
  readonly walks: readonly Walk[];
  /** The watches must have delivered everything between these revisions. */
  readonly after: number;
  readonly upTo: number;
}

/** The numbers that a round prints, and that should be 0. */
export interface Counts {
  readonly losses: number;
  readonly duplicates: number;
  readonly missed: number;
  readonly repeated: number;
  /** Reads that the check of the order could not decide. */
  readonly ambiguous: number;
}

export interface Verdict {
  readonly counts: Counts;
  readonly wrong: readonly string[];
}

/** Runs all checks. Missing evidence is a fault, too. */
export async function conclude(evidence: () => Promise<Evidence>): Promise<Verdict> {
  try {
    return verdictOf(await evidence());
  } catch (error) {
    const counts = { losses: NaN, duplicates: NaN, missed: NaN, repeated: NaN, ambiguous: NaN };
    return { counts, wrong: [String(error)] };
  }
}

function verdictOf({ history, watchers, walks, after, upTo }: Evidence): Verdict {
  // All watches together give the order; each of them, and everything read, is compared with it.
  const firstSeen = new Map<number, Seen>();
  for (const { seen } of watchers) {
    for (const one of unmarked(seen)) {
      const known = firstSeen.get(one.revision);
      if (known === undefined || one.at < known.at) firstSeen.set(one.revision, one);
    }
  }
  const inOrder = [...firstSeen.values()].sort((one, other) => one.revision - other.revision);
  const { steps, duplicates, missed, violations: wrong } = findTruth(history, inOrder);
  const repeated: string[] = [];
  for (const { name, seen, ...watcher } of watchers) {
    const faults = checkWatch(unmarked(seen), steps, { name, after, upTo });
    missed.push(...faults.missed);
    repeated.push(...faults.repeated);
    wrong.push(...faults.violations, ...watcher.wrong);
  }

  const lists = history.lists.map((list) => ({ ...list, items: withoutMarks(list.items) }));
  const order = checkOrder(steps, { ...history, lists });
  wrong.push(...order.violations, ...otherBytes(history, steps));

  const losses = new Set<string>();
  for (const walk of walks) {
    wrong.push(...walk.wrong);
    differences(withoutMarks(walk.items), stateAt(steps, walk.revision)).forEach((one) => losses.add(one));
  }
  for (const [what, list] of Object.entries({ lost: [...losses], twice: duplicates, missed, repeated })) {
    wrong.push(...list.map((one) => `${what}: ${one}`));
  }
  const counts = {
    losses: losses.size,
    duplicates: duplicates.length,
    missed: missed.length,
    repeated: repeated.length,
    ambiguous: order.ambiguous,
  };
  return { counts, wrong };
}

function unmarked(seen: readonly Seen[]): readonly Seen[] {
  return seen.filter(({ key }) => !key.startsWith(MARK));
}

function withoutMarks<T>(items: ReadonlyMap<string, T>): Map<string, T> {
  return new Map([...items].filter(([name]) => !name.startsWith(MARK)));
}

/** Reads must have shown the bytes that were written at their revision. */
function otherBytes({ reads }: History, steps: readonly Step[]): string[] {
  const texts = new Map(steps.map(({ revision, text }) => [revision, text]));
  return reads
    .filter(({ revision, text }) => revision !== undefined && texts.has(revision) && texts.get(revision) !== text)
    .map(
      ({ key, revision, text }) =>
        `a read of ${key} at ${revision} had other bytes:\n${text}\n${texts.get(revision ?? 0)}`,
    );
}
