import type { ListRead, Read, Refusal } from '../support/history.js';

/** A write with its place in the order, and the time in which it must have happened. */
export interface OrderedWrite {
  readonly revision: number;
  readonly key: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly invoked: number;
  readonly returned: number;
}

/** Everything that was read, also by writes that were refused. */
export interface Observations {
  readonly reads: readonly Read[];
  readonly refusals: readonly Refusal[];
  readonly lists: readonly ListRead[];
}

export interface OrderFaults {
  readonly violations: string[];
  /** Observations that fit in several places and were not decided: for them the check is sound, but not complete. */
  readonly ambiguous: number;
}

/** Between two writes: after the one with the first index, before the one with the second. */
type Place = readonly [after: number, before: number];

/**
 * Checks linearizability. Every call must have taken effect at one moment between its beginning and its end, and
 * because writes carry their revision, the order of their moments is known: it is that of the revisions. So one pass
 * decides. It gives each write the earliest moment possible: not before its own beginning, nor the write before it, nor
 * the beginning of any read that saw the state it ended. A write whose moment comes after its end cannot be explained.
 *
 * `writes` are sorted by revision. The time is that of sorting.
 */
export function checkOrder(writes: readonly OrderedWrite[], { reads, refusals, lists }: Observations): OrderFaults {
  const violations: string[] = [];
  let ambiguous = 0;
  const revisions = writes.map((write) => write.revision);
  const versions = versionsByKey(writes);

  // Bounds of each write's moment, from the writes alone: they bound the places that an observation may have.
  const earliest: number[] = [];
  const latest: number[] = [];
  for (let index = 0; index < writes.length; index++) {
    earliest[index] = Math.max(earliest[index - 1] ?? -Infinity, writes[index]?.invoked ?? -Infinity);
  }
  for (let index = writes.length - 1; index >= 0; index--) {
    latest[index] = Math.min(latest[index + 1] ?? Infinity, writes[index]?.returned ?? Infinity);
  }

  const placed: { readonly what: string; readonly place: Place; readonly returned: number }[] = [];
  /** For each write, the latest beginning of an observation that has to come before it. */
  const notBefore: number[] = writes.map(() => -Infinity);
  const observe = (what: string, invoked: number, returned: number, places: readonly Place[]): void => {
    const possible = places.filter(
      ([after, before]) => (earliest[after] ?? -Infinity) <= returned && (latest[before] ?? Infinity) >= invoked,
    );
    const [place] = possible;
    if (place === undefined) violations.push(`${what}: there was no such state between its beginning and its end`);
    else if (possible.length > 1) ambiguous++;
    else {
      placed.push({ what, place, returned });
      if (place[1] < writes.length) notBefore[place[1]] = Math.max(notBefore[place[1]] ?? -Infinity, invoked);
    }
  };

  for (const { key, revision, invoked, returned } of reads) {
    const found = versions.get(key) ?? NEVER;
    const places = found
      .filter((version) => version.revision === revision)
      .map(({ from, to }): Place => [from, Math.min(to, writes.length)]);
    observe(`a read of ${key} that saw ${revision ?? 'nothing'}`, invoked, returned, places);
  }
  for (const { key, found, invoked, returned } of refusals) {
    const fits = (revision: number | undefined): boolean =>
      found === 'present'
        ? revision !== undefined
        : found === 'absent'
          ? revision === undefined
          : revision !== found.otherThan;
    const what = typeof found === 'string' ? found : `not at ${found.otherThan}`;
    const places = runs((versions.get(key) ?? NEVER).map((version) => ({ ...version, fits: fits(version.revision) })));
    const bounded = places.map(([from, to]): Place => [from, Math.min(to, writes.length)]);
    observe(`a refusal because ${key} is ${what}`, invoked, returned, bounded);
  }
  for (const { revision, invoked, returned } of lists) {
    const before = firstAbove(revisions, revision);
    observe(`a list at ${revision}`, invoked, returned, [[before - 1, before]]);
  }
  violations.push(...wrongLists(writes, lists));

  const moments: number[] = [];
  for (const [index, { key, revision, invoked, returned }] of writes.entries()) {
    const moment = Math.max(moments[index - 1] ?? -Infinity, invoked, notBefore[index] ?? -Infinity);
    if (moment > returned) {
      const late = (moment - returned).toFixed(3);
      violations.push(`the write of ${key} at ${revision} ended ${late} ms before something that came before it began`);
    }
    moments.push(moment);
  }
  for (const { what, place, returned } of placed) {
    if ((moments[place[0]] ?? -Infinity) > returned) violations.push(`${what}: it ended before that state could begin`);
  }
  return { violations, ambiguous };
}

interface Version {
  /** `undefined`: there was none. */
  readonly revision: number | undefined;
  /** The indexes of the write that made it and of the one that ended it. */
  readonly from: number;
  readonly to: number;
}

const NEVER: readonly Version[] = [{ revision: undefined, from: -1, to: Infinity }];

function versionsByKey(writes: readonly OrderedWrite[]): Map<string, readonly Version[]> {
  const all = new Map<string, Version[]>();
  for (const [index, { key, type, revision }] of writes.entries()) {
    const versions = all.get(key) ?? [{ revision: undefined, from: -1, to: Infinity }];
    const last = versions.pop() as Version;
    versions.push({ ...last, to: index });
    versions.push({ revision: type === 'DELETED' ? undefined : revision, from: index, to: Infinity });
    all.set(key, versions);
  }
  return all;
}

/** Merges adjacent versions that fit into one range. */
function runs(versions: readonly (Version & { readonly fits: boolean })[]): [number, number][] {
  const found: [number, number][] = [];
  let open: [number, number] | undefined;
  for (const { fits, from, to } of versions) {
    if (!fits) open = undefined;
    else if (open !== undefined) open[1] = to;
    else found.push((open = [from, to]));
  }
  return found;
}

function firstAbove(sorted: readonly number[], revision: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A list must show exactly the state at its revision. */
function wrongLists(writes: readonly OrderedWrite[], lists: readonly ListRead[]): string[] {
  const wrong: string[] = [];
  const state = new Map<string, number>();
  let index = 0;
  for (const { revision, items } of [...lists].sort((one, other) => one.revision - other.revision)) {
    for (let write = writes[index]; write !== undefined && write.revision <= revision; write = writes[++index]) {
      if (write.type === 'DELETED') state.delete(write.key);
      else state.set(write.key, write.revision);
    }
    for (const [key, at] of state) {
      if (items.get(key) !== at)
        wrong.push(`a list at ${revision} has ${key} at ${items.get(key) ?? 'none'}, not ${at}`);
    }
    for (const key of items.keys())
      if (!state.has(key)) wrong.push(`a list at ${revision} has ${key}, which was not there`);
  }
  return wrong;
}
