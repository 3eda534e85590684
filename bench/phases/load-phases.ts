import type { LoadKind } from '../protocol.js';
import { DATA, type Metric, type Phase } from './contract.js';
import { metered } from './metered.js';

const RATE: Metric = { key: 'rate', as: 'ratio', unit: '×', better: 'higher' };
const BYTES: Metric = { key: 'mb', as: 'ratio', unit: '×', better: 'higher' };
const CPU: Metric = { key: 'cpu', as: 'ratio', unit: '×', better: 'lower' };
const P99: Metric = { key: 'p99', as: 'ratio', unit: '×', better: 'lower' };
const FIRST_BYTE: Metric = { key: 'first-byte', as: 'value', unit: 'ms', better: 'lower' };

/** The first slice of a phase meets code that was not compiled yet. */
const FIRST_WARMUP = 12;

function loadPhase(
  id: string,
  title: string,
  load: { readonly kind: LoadKind; readonly connections: number; readonly namespace?: string },
  metrics: readonly Metric[],
  mounts = false,
): Phase {
  return {
    id,
    title,
    metrics,
    mounts,
    async measure(bench, server, first) {
      const { warmupMs, sliceMs } = bench.options.times;
      const job = { ...DATA, ...load, warmupMs: first ? warmupMs * FIRST_WARMUP : warmupMs, durationMs: sliceMs };
      const { result, cpuUs } = await metered(
        bench,
        server,
        id,
        () => bench.client.load(server, job),
        (r) => r.allAnswers,
      );
      return {
        rate: result.perSecond,
        mb: result.mbPerSecond,
        p99: result.p99Ms,
        'first-byte': result.firstByteMs,
        cpu: cpuUs,
      };
    },
  };
}

const small = [RATE, CPU, P99];
const fresh = { kind: 'create', namespace: 'bench-new' } as const;

/** Reads first: what comes later changes the data set. */
export const loadPhases: readonly Phase[] = [
  loadPhase('health', 'GET /readyz with eleven checks, 64 connections', { kind: 'health', connections: 64 }, small),
  loadPhase('livez', 'GET /livez, 64 connections', { kind: 'livez', connections: 64 }, small),
  loadPhase('get', 'get, 64 connections', { kind: 'get', connections: 64 }, small, true),
  loadPhase('pages', 'walk over 10,000 events in pages of 500, 4 connections', { kind: 'page', connections: 4 }, [
    BYTES,
    CPU,
    FIRST_BYTE,
  ]),
  loadPhase('list', 'one list of 10,000 events, 1 connection', { kind: 'list', connections: 1 }, [
    BYTES,
    CPU,
    FIRST_BYTE,
  ]),
  loadPhase(
    'regarding',
    'list by regarding.name, 20 of 10,000, 64 connections',
    { kind: 'regarding', connections: 64 },
    small,
  ),
  loadPhase('create-1', 'create, 1 in flight', { ...fresh, connections: 1 }, small),
  loadPhase('create-16', 'create, 16 in flight', { ...fresh, connections: 16 }, small),
  loadPhase('create-64', 'create, 64 in flight', { ...fresh, connections: 64 }, small, true),
  loadPhase('update', 'update, 64 connections', { kind: 'update', connections: 64 }, small),
  loadPhase('patch', 'merge patch, 64 connections', { kind: 'patch', connections: 64 }, small),
];
