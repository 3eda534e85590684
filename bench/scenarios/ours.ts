import type { Bench } from '../context.js';
import { figure, type Figure } from '../figures.js';
import type { ServerSpec } from '../options.js';
import type { BenchServer } from '../server-process.js';

export type OurServer = Extract<ServerSpec, { kind: 'vitals' }>;

/** One server for each of our stores, without frameworks around it. */
export function ourStores({ options }: Bench): readonly OurServer[] {
  return options.servers.filter((spec): spec is OurServer => spec.kind === 'vitals' && spec.mount === 'node');
}

/** Measures every store, one after the other; one that fails is reported and left out. */
export async function eachStore(
  bench: Bench,
  what: string,
  measure: (spec: OurServer) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const spec of ourStores(bench)) {
    try {
      bench.log(`${what}: ${spec.name}`);
      figures.push(...(await measure(spec)));
    } catch (error) {
      bench.warn(`${what}, ${spec.name}: ${(error as Error).message}`);
    }
  }
  return figures;
}

/** Calls a method in the server's process. */
export function ask<T>({ worker, spec }: BenchServer, method: string, params?: unknown, limitMs = 60_000): Promise<T> {
  if (!worker) return Promise.reject(new Error(`${spec.name} is not our process`));
  return worker.call<T>(method, params, limitMs);
}

/** A figure that was measured once, shown for orientation. */
export function single(id: string, value: number, unit: Figure['unit'], better: Figure['better'] = 'lower'): Figure {
  return figure(id, [value], { unit, better, orientation: true });
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
