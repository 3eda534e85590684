// A process with one client of events, which the first argument names.
import { answerCalls } from '../rpc.js';
import {
  NAMESPACE,
  type EventBody,
  type Library,
  type LibraryJob,
  type LibraryName,
  type LibraryResult,
} from './contract.js';

const name = process.argv[2] as LibraryName;
const OBJECTS = 50;

function eventBody(apiVersion: string, tag: string, index: number): EventBody {
  return {
    ...{ apiVersion, kind: 'Event', type: 'Normal' },
    metadata: { name: `${tag}-${index}`, namespace: NAMESPACE },
    eventTime: '2026-01-02T03:04:05.678901Z',
    ...{ reportingController: 'example.com/bench', reportingInstance: 'bench-1', action: 'Charge', reason: 'Paid' },
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE, name: `web-${index % OBJECTS}` },
    note: `order ${tag}-${index} was paid with the card that its customer has chosen, and will be sent tomorrow`,
  };
}

async function open({ target }: LibraryJob): Promise<Library> {
  switch (name) {
    case 'undici':
      return (await import('./undici.js')).bareUndici(target);
    case 'client-node':
      return (await import('./client-node.js')).clientNode(target);
    case 'kube-vitals':
      return (await import('./kube-vitals.js')).kubeVitals(target);
  }
}

async function measure(job: LibraryJob): Promise<LibraryResult> {
  const { work, count, tag, target } = job;
  const library = await open(job);
  const body = (index: number): EventBody => eventBody(target.base.slice('/apis/'.length), tag, index);
  const many = Array.from(
    { length: work === 'recordEqual' || work === 'watch' || work === 'follow' ? 1 : count },
    (_, index) => body(index),
  );
  const runs: Record<LibraryJob['work'], () => Promise<void>> = {
    record: () => library.record(many),
    recordEqual: () => library.recordEqual(body(0), count),
    create: () => library.create(many),
    get: () => library.get(many.map(({ metadata }) => metadata.name)),
    watch: () => library.watch(count),
    follow: () => library.follow(count),
  };
  try {
    const cpu = process.cpuUsage();
    const start = performance.now();
    await runs[work]();
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    return { perSecond: count / seconds, cpuUs: (user + system) / count };
  } finally {
    await library.close();
  }
}

async function held(count: number): Promise<unknown> {
  const { heldByRecorder } = await import('./kube-vitals.js');
  return heldByRecorder(Array.from({ length: count }, (_, index) => eventBody('events.k8s.io/v1', 'held', index)));
}

answerCalls({ measure, held });
