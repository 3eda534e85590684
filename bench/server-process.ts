import { join } from 'node:path';
import type { ServerSpec } from './options.js';
import { API_DOMAIN, baseOf, TOKEN, type Target, type Usage, type VitalsServerOptions } from './protocol.js';
import { startWorker, type Worker } from './rpc.js';

/** A server that runs. */
export interface BenchServer {
  readonly spec: ServerSpec;
  readonly target: Target;
  /** Absent for a server that is not ours. */
  readonly worker: Worker | undefined;
  usage(): Promise<Usage | undefined>;
  stop(): Promise<void>;
}

const CALL_LIMIT_MS = 10_000;
const DAY_MS = 86_400_000;

/** Starts servers and remembers them, so that all can be stopped. */
export interface ServerPark {
  start(spec: ServerSpec, life?: Life): Promise<BenchServer>;
  stopAll(): Promise<void>;
}

/** @param scratch a folder for database files */
export function createServerPark(scratch: string): ServerPark {
  const running = new Set<BenchServer>();
  let files = 0;

  const startOwn = async (spec: Exclude<ServerSpec, { kind: 'other' }>, life: Life): Promise<BenchServer> => {
    const worker = await startServer(spec, life);
    const port = await worker.call<number>('port', undefined, CALL_LIMIT_MS);
    const server: BenchServer = {
      spec,
      target: { host: '127.0.0.1', port, base: baseOf(life.apiDomain ?? API_DOMAIN), token: TOKEN },
      worker,
      usage: () => worker.call<Usage>('usage', undefined, CALL_LIMIT_MS),
      async stop() {
        running.delete(server);
        await worker.stop();
      },
    };
    running.add(server);
    return server;
  };
  const startServer = (spec: Exclude<ServerSpec, { kind: 'other' }>, life: Life): Promise<Worker> => {
    if (spec.kind === 'floor') return startWorker('servers/floor.ts');
    return spec.kind === 'bare' ? startWorker('servers/bare.ts', [spec.framework]) : startVitals(spec, life);
  };
  const startVitals = (spec: Extract<ServerSpec, { kind: 'vitals' }>, life: Life): Promise<Worker> => {
    const location = spec.location || join(scratch, `${spec.name}-${++files}.db`);
    const options: VitalsServerOptions = {
      store: spec.store,
      cached: spec.cached,
      mount: spec.mount,
      metrics: spec.metrics,
      location,
      apiDomain: API_DOMAIN,
      ...life,
    };
    return startWorker('servers/vitals.ts', [JSON.stringify(options)]);
  };
  return {
    async start(spec, life = { ttlMs: DAY_MS, historyMs: 600_000 }) {
      if (spec.kind !== 'other') return startOwn(spec, life);
      return {
        spec,
        target: spec.target,
        worker: undefined,
        usage: async () => undefined,
        stop: async () => undefined,
      };
    },
    async stopAll() {
      await Promise.all([...running].map((server) => server.stop()));
    },
  };
}

/** Options that only our own servers get. */
type Life = Pick<VitalsServerOptions, 'ttlMs' | 'historyMs'> & Partial<Pick<VitalsServerOptions, 'apiDomain'>>;
