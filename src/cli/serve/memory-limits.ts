import { constrainedMemory } from 'node:process';
import type { EventsOptions } from '../../index.js';
import type { Flags } from './flags.js';

/** Parts of a container's memory. Fewer writes would make the commits of SQLite much smaller. */
const OF_BODIES = 1 / 4;
const OF_READS = 1 / 8;
const OF_RESPONSES = 1 / 8;
/** A list of which the client reads nothing holds up to this much, most of it for gzip and for events read ahead. */
const READ_BYTES = 1_048_576;
/** The fewest writes and reads: half of them are one caller's. */
const FEWEST = 8;
/** The defaults of the library. */
const MOST = { writes: 200, reads: 400, bytes: 268_435_456 } as const;

/**
 * Limits with which slow clients cannot exhaust the memory of a small container. The defaults allow 200 bodies of 3 MiB
 * and 400 lists, hundreds of MiB.
 */
export function limitsWithin(
  { maxBodyBytes, workers }: Pick<Flags, 'maxBodyBytes' | 'workers'>,
  container: number = constrainedMemory(),
): NonNullable<EventsOptions['limits']> {
  // 0 or a huge number without a limit.
  const memory = (container || Infinity) / workers;
  const within = (most: number, bytes: number): number => Math.min(most, Math.max(FEWEST, Math.floor(memory / bytes)));
  return {
    writes: within(MOST.writes, maxBodyBytes / OF_BODIES),
    reads: within(MOST.reads, READ_BYTES / OF_READS),
    bytes: Math.min(MOST.bytes, Math.floor(memory * OF_RESPONSES)),
  };
}
