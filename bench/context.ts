import type { BenchOptions } from './options.js';
import type { FillJob, FillResult, LoadJob, LoadResult, WatchJob, WatchResult } from './protocol.js';
import type { Worker } from './rpc.js';
import type { BenchServer, ServerPark } from './server-process.js';

/** The context of every phase. */
export interface Bench {
  readonly options: BenchOptions;
  readonly park: ServerPark;
  readonly client: BenchClient;
  /** Prints a line of progress. */
  log(line: string): void;
  /** A warning about the results, printed once. */
  warn(line: string): void;
  /** Others used this much of a core during a slice of the phase. */
  disturbed(phase: string, share: number): void;
}

/** The client process. A job with errors causes a warning, one without any success fails. */
export interface BenchClient {
  load(server: BenchServer, job: Omit<LoadJob, 'target'>): Promise<LoadResult>;
  fill(
    server: BenchServer,
    job: Omit<FillJob, 'target' | 'connections' | 'from'> & { from?: number },
  ): Promise<FillResult>;
  watch(server: BenchServer, job: Omit<WatchJob, 'target'>): Promise<WatchResult>;
}

/** Time beyond the planned time of a job: for connecting, draining and a busy machine. */
const SLACK_MS = 60_000;
/** No server that is worth measuring fills more slowly than this. */
const SLOWEST_FILL_PER_SECOND = 200;

export function createBenchClient(worker: Worker, warn: (line: string) => void): BenchClient {
  const checked = <T extends { readonly errors: number; readonly firstError: string }>(
    name: string,
    job: string,
    result: T,
  ): T => {
    if (result.errors > 0) warn(`${name}, ${job}: ${result.errors} errors, the first: ${result.firstError}`);
    return result;
  };
  return {
    async load({ spec, target }, job) {
      const limit = job.warmupMs + job.durationMs + SLACK_MS;
      const result = checked(spec.name, job.kind, await worker.call<LoadResult>('load', { ...job, target }, limit));
      if (result.perSecond === 0)
        throw new Error(`${spec.name}: no ${job.kind} succeeded (${result.firstError || 'no response'})`);
      return result;
    },
    async fill({ spec, target }, job) {
      const from = job.from ?? 0;
      const limit = ((job.size - from) / SLOWEST_FILL_PER_SECOND) * 1000 + SLACK_MS;
      const result = await worker.call<FillResult>('fill', { ...job, from, target, connections: 32 }, limit);
      if (result.errors > 0) throw new Error(`${spec.name} cannot be filled: ${result.firstError}`);
      return result;
    },
    async watch({ spec, target }, job) {
      const result = await worker.call<WatchResult>('watch', { ...job, target }, job.durationMs + 2 * SLACK_MS);
      return checked(spec.name, 'watch', result);
    },
  };
}
