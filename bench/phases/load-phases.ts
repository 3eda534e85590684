import type { ClientName, LoadJob } from '../protocol.js';
import { firstPages } from './first-pages.js';
import { BYTES, CPU, DATA, type Metric, type Phase } from './contract.js';
import { metered } from './metered.js';

const RATE: Metric = { key: 'rate', as: 'ratio', unit: '×', better: 'higher' };
const P99: Metric = { key: 'p99', as: 'ratio', unit: '×', better: 'lower' };
const FIRST_BYTE: Metric = { key: 'first-byte', as: 'value', unit: 'ms', better: 'lower' };

/** How much longer the warm-up of the first slice of a phase is, in which code is compiled. */
const FIRST_WARMUP = 12;

function loadPhase(
  id: string,
  title: string,
  load: Pick<LoadJob, 'kind' | 'connections'> & Partial<Pick<LoadJob, 'namespace' | 'client'>>,
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
      // The floor reads nothing but JSON: it gets the same event in that form.
      const client = server.spec.kind === 'floor' && load.client === 'protobuf' ? 'go' : load.client;
      const slice = { warmupMs: first ? warmupMs * FIRST_WARMUP : warmupMs, durationMs: sliceMs };
      const job = { ...DATA, ...load, client, ...slice };
      const { result, cpuUs } = await metered(
        bench,
        server,
        id,
        () => bench.client.load(server, job),
        (r) => r.allResponses,
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

const createAs = (client: ClientName, title: string): Phase =>
  loadPhase(`create-${client}`, `create ${title}, 64 in flight`, { ...fresh, client, connections: 64 }, small);

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
  createAs('go', 'as client-go does (JSON with the empty fields of its structs)'),
  createAs('kubectl', 'as kubectl create --save-config does (annotations, strict validation, a field manager)'),
  createAs('python', 'as the Python client does (keys in alphabetical order, spaces)'),
  createAs('protobuf', 'as client-go does for core/v1 (protobuf both ways; the floor gets JSON)'),
  loadPhase(
    'update',
    'get, then PUT of the whole object with its server-set fields, 64 connections',
    { kind: 'update', connections: 64 },
    small,
  ),
  loadPhase('patch', 'merge patch of the series, 64 connections', { kind: 'patch', connections: 64 }, small),
  loadPhase(
    'versioned-patch',
    'get, then merge patch of the series with the resourceVersion, 64 connections',
    { kind: 'versioned-patch', connections: 64 },
    small,
  ),
  firstPages,
];
