import { idOf, type History, type Seen, type Write } from '../support/history.js';

/** One step of the namespace, in the order of revisions, with the time in which it must have happened. */
export interface Step {
  readonly revision: number;
  readonly key: string;
  readonly type: Seen['type'];
  /** The object's bytes, where anybody saw them. */
  readonly text: string;
  readonly invoked: number;
  readonly returned: number;
  readonly expected?: number | undefined;
}

/** All steps, and what does not match the calls of the clients. */
export interface Truth {
  readonly steps: readonly Step[];
  readonly duplicates: string[];
  readonly missed: string[];
  readonly violations: string[];
}

/**
 * Matches what clients did with what a watch delivered. Every acknowledged write must have been delivered once, with
 * the same bytes; every unknown one once or never; nothing else.
 */
export function findTruth(history: History, seen: readonly Seen[]): Truth {
  const duplicates: string[] = [];
  const missed: string[] = [];
  const violations: string[] = [];
  const steps: Step[] = [];

  const writes = new Map(history.writes.map((write) => [write.id, write]));
  const seenById = new Map<string, Seen>();
  const deletions = new Map<string, Write[]>();
  for (const write of history.writes) {
    if (write.kind === 'delete') deletions.set(write.key, [...(deletions.get(write.key) ?? []), write]);
  }
  const deletedUids = new Set<string>();

  for (const one of seen) {
    const { type, key, revision, uid, note, text, at } = one;
    const step = { revision, key, type, text };
    const id = idOf(note);
    if (id === undefined) violations.push(`revision ${revision} of ${key} is half-written: ${text.slice(0, 200)}`);
    if (type === 'DELETED') {
      const candidates = (deletions.get(key) ?? []).filter((write) => write.uid === undefined || write.uid === uid);
      const acknowledged = candidates.filter((write) => write.acknowledged && write.uid === uid);
      const returned = Math.min(at, ...acknowledged.map((write) => write.returned));
      // Two concurrent deletions may both be acknowledged: one whose outcome was unknown is resolved by finding that
      // its event is gone.
      for (const write of acknowledged) {
        if (write.invoked > returned) duplicates.push(`the deletion of ${key} ${uid} was acknowledged again`);
      }
      if (deletedUids.has(uid)) duplicates.push(`${key} ${uid} was deleted twice`);
      deletedUids.add(uid);
      const by = acknowledged.length > 0 ? acknowledged : candidates.filter((write) => !write.acknowledged);
      if (by.length === 0) violations.push(`nobody deleted ${key} at ${revision}`);
      const invoked = Math.min(...by.map((write) => write.invoked));
      steps.push({ ...step, invoked, returned });
      continue;
    }
    const write = id === undefined ? undefined : writes.get(id);
    if (write === undefined || write.key !== key) {
      const why = history.refused.get(id ?? '') ?? 'never sent';
      violations.push(`revision ${revision} of ${key} comes from write ${id}, which did not happen: ${why}`);
      steps.push({ ...step, invoked: -Infinity, returned: at });
      continue;
    }
    if (seenById.has(write.id)) duplicates.push(`write ${write.id} of ${key} happened twice, at ${revision} again`);
    seenById.set(write.id, one);
    if (write.acknowledged && write.revision !== revision) {
      violations.push(`write ${write.id} of ${key} was acknowledged at ${write.revision} and told of at ${revision}`);
    }
    if (write.acknowledged && write.text !== text) {
      violations.push(`write ${write.id} of ${key} is not what was acknowledged:\n${write.text}\n${text}`);
    }
    const { invoked, expected } = write;
    steps.push({ ...step, invoked, returned: Math.min(at, write.returned), expected });
  }

  const revisions = new Map<number, string>();
  for (const { acknowledged, kind, id, key, uid, revision = 0, text = '', ...more } of history.writes) {
    if (!acknowledged) continue;
    if (kind === 'delete') {
      if (!deletedUids.has(uid ?? '')) missed.push(`the deletion of ${key} ${uid}`);
      continue;
    }
    const before = revisions.get(revision);
    if (before !== undefined) duplicates.push(`revision ${revision} was given to ${before} and to ${id}`);
    revisions.set(revision, id);
    if (seenById.has(id)) continue;
    missed.push(`write ${id} of ${key}, acknowledged at ${revision}`);
    const type = kind === 'create' ? 'ADDED' : 'MODIFIED';
    steps.push({ revision, key, type, text, invoked: more.invoked, returned: more.returned, expected: more.expected });
  }
  steps.sort((one, other) => one.revision - other.revision);
  violations.push(...brokenSteps(steps));
  return { steps, duplicates, missed, violations };
}

/** Each step of a key must follow from the one before: nothing is added twice, or changed at another revision. */
function brokenSteps(steps: readonly Step[]): string[] {
  const broken: string[] = [];
  const current = new Map<string, number>();
  for (const { type, key, revision, expected } of steps) {
    const before = current.get(key);
    if (type === 'ADDED' && before !== undefined) broken.push(`${key} was added at ${revision}, over ${before}`);
    if (type !== 'ADDED' && before === undefined) broken.push(`${key} was ${type} at ${revision}, but was not there`);
    if (expected !== undefined && before !== undefined && before !== expected) {
      broken.push(
        `${key} was changed at ${revision} on the condition that it is at ${expected}, but it was at ${before}`,
      );
    }
    if (type === 'DELETED') current.delete(key);
    else current.set(key, revision);
  }
  return broken;
}

/** What is stored after all steps up to a revision: by name, the last step. */
export function stateAt(steps: readonly Step[], revision: number): Map<string, Step> {
  const state = new Map<string, Step>();
  for (const step of steps) {
    if (step.revision > revision) break;
    if (step.type === 'DELETED') state.delete(step.key);
    else state.set(step.key, step);
  }
  return state;
}

/** The text of a list item of an event: lists leave out what all their items share. */
export function itemText(text: string): string {
  const { kind: _kind, apiVersion: _apiVersion, ...item } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(item);
}

/** How a list differs from the state at its revision; names first. */
export function differences(items: ReadonlyMap<string, string>, state: ReadonlyMap<string, Step>): string[] {
  const found: string[] = [];
  for (const [key, { revision, text }] of state) {
    const item = items.get(key);
    if (item === undefined) found.push(`${key}: revision ${revision} is not there`);
    else if (item !== itemText(text)) found.push(`${key}: not as it was at ${revision}:\n${item}\n${itemText(text)}`);
  }
  for (const key of items.keys()) if (!state.has(key)) found.push(`${key}: is there and should not be`);
  return found;
}
