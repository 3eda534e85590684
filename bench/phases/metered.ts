import { cpus } from 'node:os';
import type { Bench } from '../context.js';
import type { BenchServer } from '../server-process.js';

/** The share of a core above which a process counts as the bottleneck. */
const BUSY = 0.9;
/** The share of a core that other programs may use without a warning. */
const TOLERATED = 0.25;

/** CPU time of the whole machine so far, microseconds. */
const machineUs = (): number =>
  cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) * 1000, 0);

/**
 * Runs a job and returns its CPU in the server, in microseconds an operation; NaN for a server whose process is not
 * ours. Warns when the client was the bottleneck, and when others used the machine.
 */
export async function metered<T extends { readonly clientCpu: number }>(
  bench: Bench,
  server: BenchServer,
  phase: string,
  job: () => Promise<T>,
  operations: (result: T) => number,
): Promise<{ readonly result: T; readonly cpuUs: number }> {
  const before = await server.usage();
  const machine = machineUs();
  const start = performance.now();
  const result = await job();
  const elapsedUs = (performance.now() - start) * 1000;
  const allUs = machineUs() - machine;
  const after = await server.usage();
  const used = before && after ? after.cpuUs - before.cpuUs : Number.NaN;
  if (result.clientCpu >= BUSY && !(used / elapsedUs >= BUSY)) {
    bench.warn(`${phase}, ${server.spec.name}: the client was the bottleneck (${percent(result.clientCpu)} of a core)`);
  }
  const others = (allUs - used) / elapsedUs - result.clientCpu;
  if (others > TOLERATED) bench.disturbed(phase, others);
  return { result, cpuUs: used / Math.max(1, operations(result)) };
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
