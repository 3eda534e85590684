import type { Seen } from '../support/history.js';

/** The faults of what a watch delivered. */
export interface WatchFaults {
  readonly missed: string[];
  readonly repeated: string[];
  readonly violations: string[];
}

/**
 * Compares a watch with all steps, in the order of revisions, from the one after `after` to `upTo`: it must have
 * delivered each once, in this order, with the same bytes.
 */
export function checkWatch(
  seen: readonly Pick<Seen, 'type' | 'key' | 'revision' | 'text'>[],
  steps: readonly Pick<Seen, 'type' | 'key' | 'revision' | 'text'>[],
  { name, after, upTo }: { readonly name: string; readonly after: number; readonly upTo: number },
): WatchFaults {
  const missed: string[] = [];
  const repeated: string[] = [];
  const violations: string[] = [];
  const seenByRevision = new Map<number, (typeof seen)[number]>();
  let last = after;
  for (const one of seen) {
    if (seenByRevision.has(one.revision)) repeated.push(`${name}: ${one.type} ${one.key} at ${one.revision}, again`);
    else if (one.revision <= last) violations.push(`${name}: ${one.key} at ${one.revision} came after ${last}`);
    last = Math.max(last, one.revision);
    seenByRevision.set(one.revision, one);
  }
  for (const step of steps) {
    if (step.revision <= after || step.revision > upTo) continue;
    const one = seenByRevision.get(step.revision);
    seenByRevision.delete(step.revision);
    if (one === undefined) missed.push(`${name}: ${step.type} ${step.key} at ${step.revision}`);
    else if (one.type !== step.type || one.key !== step.key || one.text !== step.text) {
      violations.push(
        `${name}: at ${step.revision} it saw\n${one.type} ${one.text}\nand not\n${step.type} ${step.text}`,
      );
    }
  }
  for (const one of seenByRevision.values()) {
    if (one.revision <= upTo) violations.push(`${name}: ${one.type} ${one.key} at ${one.revision} never happened`);
  }
  return { missed, repeated, violations };
}
