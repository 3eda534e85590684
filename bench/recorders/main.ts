// npm run compare:client-go: the recorders of client-go and of this package, with the same input against the same server.
// Needs Go 1.26 and the modules of client-go; prints a table in Markdown. Not part of CI.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { CoreV1Api, EventsV1Api, KubeConfig } from '@kubernetes/client-node';
import { createEventsClient, kubeconfigTransport, type Event } from '../../src/client.js';
import { compile } from '../compile.js';
import { startServer, type ComparedServer } from './server.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const LIMIT_MS = 420_000;

/** What is recorded. Event number i is about object i % objects, and has the note i / objects % notes. */
interface Input {
  readonly title: string;
  readonly objects: number;
  readonly notes: number;
  readonly burst: number;
  readonly bursts: number;
  readonly pauseMs: number;
  /** The period in which the server is down, counted from the first event. */
  readonly awayMs?: readonly [number, number];
}

const inputs: readonly Input[] = [
  { title: '10,000 equal, 50 objects', objects: 50, notes: 1, burst: 10_000, bursts: 1, pauseMs: 0 },
  { title: '10,000 notes, 50 objects', objects: 50, notes: 200, burst: 10_000, bursts: 1, pauseMs: 0 },
  {
    title: '100,000 in bursts of 10,000, 1,000 objects, 2 notes each',
    ...{ objects: 1_000, notes: 2, burst: 10_000, bursts: 10, pauseMs: 1_000 },
  },
  {
    title: '10,000 in 10 s, 50 objects, 20 notes each, the server killed for 6 s',
    ...{ objects: 50, notes: 20, burst: 500, bursts: 20, pauseMs: 500, awayMs: [2_000, 8_000] },
  },
];

/** The report of a recorder's process. */
interface Report {
  readonly lastMs: number;
  readonly cpuMs: number;
  readonly requests: number;
  readonly rssMb: number;
}

interface Contestant {
  readonly name: string;
  record(kubeconfig: string, namespace: string, input: Input): Promise<Report>;
}

const flagsOf = (kubeconfig: string, namespace: string, { objects, notes, burst, bursts, pauseMs }: Input): string[] =>
  Object.entries({ kubeconfig, namespace, objects, notes, burst, bursts, pause: `${pauseMs}ms` }).map(
    ([name, value]) => `--${name}=${value}`,
  );

async function reportOf(file: string, args: readonly string[]): Promise<Report> {
  const { stdout } = await run(file, args, { cwd: root, timeout: LIMIT_MS });
  return JSON.parse(stdout) as Report;
}

/** The result on the server. */
interface Outcome {
  readonly objects: number;
  readonly sum: number;
  /** Recorded events that the counts on the server lack, summed over the objects; and counts beyond those recorded. */
  readonly lost: number;
  readonly doubled: number;
  /** Different notes on the server, and different notes that were recorded. */
  readonly notes: readonly [number, number];
  /** Events that were created before one about the same object that was recorded earlier. */
  readonly outOfOrder: number;
}

const countOf = (event: Event): number => event.series?.count ?? (event.deprecatedCount || 1);

function outcomeOf(input: Input, stored: readonly Event[], created: readonly Event[]): Outcome {
  const calls = input.burst * input.bursts;
  const counts = new Map<string, number>();
  for (const event of stored) {
    const name = event.regarding?.name ?? '';
    counts.set(name, (counts.get(name) ?? 0) + countOf(event));
  }
  let [lost, doubled] = [0, 0];
  for (let object = 0; object < input.objects; object++) {
    const difference = (counts.get(`pod-${object}`) ?? 0) - calls / input.objects;
    if (difference < 0) lost -= difference;
    else doubled += difference;
  }
  const last = new Map<string, number>();
  let outOfOrder = 0;
  const seen = new Set<string>();
  for (const { regarding, note = '' } of created) {
    const name = regarding?.name ?? '';
    // Equal events may be created again after their series has ended: only the first one shows the order.
    if (seen.has(`${name} ${note}`)) continue;
    seen.add(`${name} ${note}`);
    const number = Number(note.slice('note '.length));
    if (number < (last.get(name) ?? 0)) outOfOrder += 1;
    last.set(name, Math.max(number, last.get(name) ?? 0));
  }
  // `record` of client-go combines notes into one of its own.
  const own = stored.filter(({ note = '' }) => /^note \d+$/.test(note));
  const kept = new Set(own.map(({ regarding, note }) => `${regarding?.name} ${note}`));
  return {
    objects: stored.length,
    sum: [...counts.values()].reduce((sum, count) => sum + count, 0),
    ...{ lost, doubled, outOfOrder },
    notes: [kept.size, input.objects * input.notes],
  };
}

/** The events in the order in which they were created, until `stop`. */
function creationsOf(server: ComparedServer, namespace: string, resourceVersion: string) {
  const stopping = new AbortController();
  const created: Event[] = [];
  const done = (async () => {
    const { watchEvents } = await import('../../src/client.js');
    const transport = await kubeconfigTransport({ path: server.kubeconfig });
    const client = createEventsClient({ transport });
    const options = { client, namespace, resourceVersion, signal: stopping.signal, observe: (): void => undefined };
    for await (const { type, event } of watchEvents(options)) if (type === 'added') created.push(event);
    await transport.close();
  })();
  return {
    created,
    async stop() {
      // The last changes are still on their way.
      await pause(1_000);
      stopping.abort();
      await done;
    },
  };
}

/** Lists the stored events with other clients; returns what each of them read. */
async function readings(server: ComparedServer, program: string, namespace: string): Promise<string> {
  const goList = await run(program, ['-mode=list', `-kubeconfig=${server.kubeconfig}`, `-namespace=${namespace}`]);
  const go = JSON.parse(goList.stdout) as { readonly objects: number; readonly sum: number };
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  const { items } = await config.makeApiClient(EventsV1Api).listNamespacedEvent({ namespace });
  const core = await config.makeApiClient(CoreV1Api).listNamespacedEvent({ namespace });
  const sum = items.reduce((all, { series, deprecatedCount }) => all + (series?.count ?? deprecatedCount ?? 1), 0);
  const kubectl = ['get', 'events.events.k8s.io', '-n', namespace, '-o', 'name', '--kubeconfig', server.kubeconfig];
  const named = await run('kubectl', kubectl, { maxBuffer: 1 << 28 }).then(
    ({ stdout }) => stdout.split('\n').length - 1,
    () => 'not installed',
  );
  return (
    `client-go: ${go.objects} events, sum ${go.sum}; client-node: ${items.length} events, sum ${sum}, ` +
    `of core/v1 ${core.items.length}; kubectl: ${named} events`
  );
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const scratch = await mkdtemp(join(tmpdir(), 'kube-vitals-recorders-'));
const log = (line: string): void => void process.stderr.write(`${line}\n`);
let server: ComparedServer | undefined;
try {
  const program = join(scratch, 'client-go');
  log('building the program with client-go');
  await run('go', ['build', '-o', program, '.'], { cwd: join(here, 'client-go'), timeout: LIMIT_MS });
  const contestants: readonly Contestant[] = [
    {
      name: 'kube-vitals',
      record: async (...input) =>
        reportOf(process.execPath, [await compile('recorders/ours.ts'), ...flagsOf(...input)]),
    },
    ...(['events', 'record'] as const).map((mode) => ({
      name: `client-go \`${mode}\``,
      record: (...input: Parameters<Contestant['record']>) =>
        reportOf(program, [`-mode=${mode}`, ...flagsOf(...input)]),
    })),
  ];
  const rows: string[] = [];
  const port = await freePort();
  const chosen = inputs.filter((_, index) => values.only === undefined || values.only.split(',').includes(`${index}`));
  for (const [index, input] of chosen.entries()) {
    for (const [place, contestant] of contestants.entries()) {
      log(`${input.title}: ${contestant.name}`);
      server = await startServer(join(scratch, `data-${index}-${place}`), port);
      const namespace = 'compared';
      const client = createEventsClient({ transport: await kubeconfigTransport({ path: server.kubeconfig }) });
      const [page] = await firstPage(client, namespace);
      const creations = creationsOf(server, namespace, page);
      const recording = contestant.record(server.kubeconfig, namespace, input);
      if (input.awayMs !== undefined) {
        const [from, to] = input.awayMs;
        await pause(from);
        await server.kill();
        await pause(to - from);
        await server.start();
      }
      const report = await recording;
      await creations.stop();
      const outcome = outcomeOf(input, await client.list({ namespace }).toArray(), creations.created);
      const cells = [
        ...[input.title, contestant.name, outcome.objects, outcome.sum, outcome.lost, outcome.doubled],
        ...[outcome.notes.map((count) => count.toLocaleString('en')).join(' of '), outcome.outOfOrder, report.requests],
        ...[`${(report.lastMs / 1_000).toFixed(1)} s`, `${(report.cpuMs / 1_000).toFixed(1)} s`, `${report.rssMb} MB`],
      ];
      rows.push(
        `| ${cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)).join(' | ')} |`,
      );
      log(rows.at(-1) ?? '');
      if (place === 0) log(`read by ${await readings(server, program, namespace)}`);
      await server.remove();
    }
  }
  const goMod = await readFile(join(here, 'client-go', 'go.mod'), 'utf8');
  process.stdout.write(
    `client-go ${/k8s\.io\/client-go (\S+)/.exec(goMod)?.[1]}, Node ${process.version}, ` +
      `${new Date().toISOString().slice(0, 10)}\n\n` +
      `| input | recorder | events | sum of counts | lost | doubled | notes kept | out of order | requests | last write | CPU | memory |\n` +
      `|---|---|---|---|---|---|---|---|---|---|---|---|\n${rows.join('\n')}\n`,
  );
} finally {
  await server?.remove();
  await rm(scratch, { recursive: true, force: true });
}

async function firstPage(client: ReturnType<typeof createEventsClient>, namespace: string): Promise<[string]> {
  for await (const { resourceVersion } of client.list({ namespace }).pages()) return [resourceVersion];
  throw new Error('a list has a page');
}

/** A free port, so that the address is the same before and after a restart. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
