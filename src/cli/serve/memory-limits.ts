import { constrainedMemory } from 'node:process';
import type { EventsOptions } from '../../index.js';
import type { Flags } from './flags.js';

/** Parts of a container's memory. */
const OF_BODIES = 1 / 4;
const OF_READS = 1 / 8;
/** A list of which the client reads nothing holds up to this much, most of it for gzip and for events read ahead. */
const READ_BYTES = 1_048_576;
/** The fewest reads: half of them are one caller's. */
const FEWEST_READS = 8;
/** The defaults of the library. */
const MOST = { reads: 400, bytes: 268_435_456 } as const;

/**
 * Limits with which slow clients cannot exhaust the memory of a small container. The defaults allow 256 MiB of bodies,
 * and 400 lists.
 */
export function limitsWithin(
  { workers }: Pick<Flags, 'workers'>,
  container: number = constrainedMemory(),
): NonNullable<EventsOptions['limits']> {
  // 0 or a huge number without a limit.
  const memory = (container || Infinity) / workers;
  return {
    reads: Math.min(MOST.reads, Math.max(FEWEST_READS, Math.floor((memory * OF_READS) / READ_BYTES))),
    bytes: Math.min(MOST.bytes, Math.floor(memory * OF_BODIES)),
  };
}
