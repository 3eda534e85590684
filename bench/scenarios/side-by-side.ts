import type { Bench } from '../context.js';
import { metered } from '../phases/metered.js';
import type { LoadKind, LoadResult } from '../protocol.js';
import type { BenchServer } from '../server-process.js';

const TURNS = 5;

/** Requests of one kind, sent to two servers in turns. */
export interface Operation {
  readonly what: LoadKind;
  readonly connections: number;
  readonly count: number;
}

/** The operations that a store is compared by. */
export const OPERATIONS: readonly Operation[] = [
  { what: 'create', connections: 16, count: 1_500 },
  { what: 'get', connections: 16, count: 6_000 },
  { what: 'first-page', connections: 1, count: 150 },
  { what: 'deep-page', connections: 1, count: 150 },
  { what: 'regarding', connections: 16, count: 2_000 },
];

/** A server and the namespace that it was filled with. */
export interface Filled {
  readonly server: BenchServer;
  readonly namespace: string;
  readonly events: number;
}

/** The time and the CPU time of an operation in one server, each divided by those in the other. */
export interface Ratios {
  readonly time: number[];
  readonly cpu: number[];
}

/** Alternates between the two, so that a slow moment of the machine affects both. */
export async function ratios(
  bench: Bench,
  phase: string,
  of: Filled,
  to: Filled,
  operation: Operation,
  turns = TURNS,
): Promise<Ratios> {
  const time: number[] = [];
  const cpu: number[] = [];
  // A young process is slower; both get the chance to warm up.
  for (const filled of [of, to]) await cost(bench, phase, filled, operation);
  for (let turn = 0; turn < turns; turn++) {
    const left = await cost(bench, phase, of, operation);
    const right = await cost(bench, phase, to, operation);
    time.push(left.timeUs / right.timeUs);
    cpu.push(left.cpuUs / right.cpuUs);
  }
  return { time, cpu };
}

async function cost(
  bench: Bench,
  phase: string,
  { server, namespace, events }: Filled,
  { what, connections, count }: Operation,
): Promise<{ timeUs: number; cpuUs: number }> {
  const job = { kind: what, namespace, size: events, connections, warmupMs: 0, durationMs: 60_000, count };
  const load = (): Promise<LoadResult> => bench.client.load(server, job);
  const { result, cpuUs } = await metered(bench, server, phase, load, ({ allResponses }) => allResponses);
  return { timeUs: 1e6 / result.perSecond, cpuUs };
}
