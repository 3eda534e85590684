import { parseArgs } from 'node:util';
import { BASE, FRAMEWORKS, type Framework, type StoreKind, type Target, type VitalsServerOptions } from './protocol.js';

/** A server to be measured. */
export type ServerSpec = { readonly name: string } & (
  | { readonly kind: 'floor' }
  | { readonly kind: 'bare'; readonly framework: Framework }
  | {
      readonly kind: 'vitals';
      readonly store: StoreKind;
      readonly cached?: boolean;
      readonly metrics?: boolean;
      readonly mount: VitalsServerOptions['mount'];
      readonly location: string;
    }
  | { readonly kind: 'other'; readonly target: Target }
);

/** Durations and repetitions of the phases. */
export interface Times {
  readonly warmupMs: number;
  readonly sliceMs: number;
  /** Slices of a phase in one round; the servers alternate slice by slice. */
  readonly slices: number;
  readonly watchMs: number;
  readonly stormMs: number;
  readonly sizes: readonly number[];
  readonly importRuns: number;
}

/** The options of the command line. */
export interface BenchOptions {
  readonly quick: boolean;
  readonly write: boolean;
  /** Rounds with fresh processes. */
  readonly runs: number;
  readonly only: readonly string[];
  readonly servers: readonly ServerSpec[];
  /** A folder for CPU profiles of our servers. */
  readonly profile: string | undefined;
  readonly times: Times;
}

export const USAGE = `npm run bench [-- options]

  --quick            a few seconds a phase, small sizes: a check that it works, not for comparisons
  --only a,b         only these phases (health, create, get, update, patch, pages, first-pages, list, regarding, watch, slow, json, cold,
                     storm, expiry, size, host, hostile, fairness, client, imports, metrics, workers, micro); a prefix is enough
  --servers a,b      floor, memory, sqlite, express, hono, fastify, postgres=URL, etcd=URL[;URL], cached-sqlite and the like
                     for a store behind a watch cache, other=http://[:token@]host:port[/apis/group/version]
                     default: floor,memory,sqlite,cached-sqlite,express,hono,fastify; the floor is always there, and beside a framework
                     its bare routes, to which it is compared
  --runs n           rounds with fresh processes (3; quick: 1)
  --sizes a,b        steps of the size phase (1000,10000,100000,1000000; quick: 1000,10000)
  --storm-minutes n  how long the storm phase lasts (3; quick: 12 seconds)
  --profile folder   CPU profiles of our servers, a file for each phase, and what took the time
  --write            rewrites bench/baseline.json and docs/performance.md with the results`;

const FULL: Times = {
  // The machine may be half as fast for a second or two: with short slices that affects all servers alike.
  warmupMs: 150,
  sliceMs: 400,
  slices: 12,
  // One in a hundred frames: in seven seconds a single pause of 70 ms would be the p99.
  watchMs: 15_000,
  stormMs: 180_000,
  sizes: [1_000, 10_000, 100_000, 1_000_000],
  importRuns: 31,
};
const QUICK: Times = {
  warmupMs: 200,
  sliceMs: 600,
  slices: 1,
  watchMs: 2_000,
  stormMs: 12_000,
  sizes: [1_000, 10_000],
  importRuns: 5,
};

/** @throws Error that names the fault of the command line */
export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      servers: { type: 'string', default: 'floor,memory,sqlite,cached-sqlite,express,hono,fastify' },
      runs: { type: 'string' },
      sizes: { type: 'string' },
      'storm-minutes': { type: 'string' },
      profile: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  const { quick, write } = values;
  if (quick && write) throw new Error('--write needs a full run: leave --quick out');
  const times = quick ? QUICK : FULL;
  const sizes =
    values.sizes === undefined ? times.sizes : list(values.sizes).map((size) => wholeNumber('--sizes', size));
  const minutes = values['storm-minutes'];
  const stormMs = minutes === undefined ? times.stormMs : wholeNumber('--storm-minutes', minutes) * 60_000;
  const servers = list(values.servers).map(serverSpec).flatMap(withBareRoutes);
  return {
    quick,
    write,
    runs: values.runs === undefined ? (quick ? 1 : 3) : wholeNumber('--runs', values.runs),
    only: list(values.only),
    servers: servers.some(({ kind }) => kind === 'floor') ? servers : [{ name: 'floor', kind: 'floor' }, ...servers],
    profile: values.profile,
    times: { ...times, stormMs, sizes: [...sizes].sort((a, b) => a - b) },
  };
}

const list = (text: string): string[] => text.split(',').filter((part) => part !== '');

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new Error(`${option}: give whole numbers above 0, not ${text}`);
  return Number(text);
}

/** Adds, beside our handler in a framework, bare routes of that framework that do the same. */
function withBareRoutes(spec: ServerSpec): readonly ServerSpec[] {
  const framework = FRAMEWORKS.find((known) => spec.kind === 'vitals' && spec.mount === known);
  return framework === undefined ? [spec] : [{ name: bareName(framework), kind: 'bare', framework }, spec];
}

const bareName = (framework: Framework): string => `bare-${framework}`;

/** The name of the server that a server's ratios are to: bare routes of the same framework, or the floor. */
export function baseOf(name: string): string {
  const framework = FRAMEWORKS.find((known) => known === name);
  return framework === undefined ? 'floor' : bareName(framework);
}

/** True for a server that is compared in a few phases only. */
export const isMount = (spec: ServerSpec): boolean => spec.kind === 'bare' || baseOf(spec.name) !== 'floor';

function serverSpec(text: string): ServerSpec {
  const mark = text.indexOf('=');
  const name = mark === -1 ? text : text.slice(0, mark);
  const location = mark === -1 ? '' : text.slice(mark + 1);
  const ours = (store: StoreKind, mount: VitalsServerOptions['mount'] = 'node'): ServerSpec => ({
    name,
    kind: 'vitals',
    store,
    mount,
    location,
  });
  if (name.startsWith('cached-')) {
    const spec = serverSpec(text.slice('cached-'.length));
    if (spec.kind === 'vitals' && spec.mount === 'node' && spec.store !== 'memory')
      return { ...spec, name, cached: true };
  }
  switch (name) {
    case 'floor':
      return { name, kind: 'floor' };
    case 'memory':
    case 'sqlite':
      return ours(name);
    case 'express':
    case 'hono':
    case 'fastify':
      return ours('memory', name);
    case 'postgres':
    case 'etcd':
      if (location === '')
        throw new Error(`--servers: ${name} needs an address, for example ${name}=${EXAMPLES[name]}`);
      return ours(name);
    case 'other':
      return { name, kind: 'other', target: otherTarget(location) };
    default:
      throw new Error(`--servers: ${name} is not known`);
  }
}

const EXAMPLES = { postgres: 'postgres://user@127.0.0.1:5432/bench', etcd: 'http://127.0.0.1:2379' } as const;

/** An events API somewhere else; the password of the URL is its bearer token. */
function otherTarget(location: string): Target {
  if (!URL.canParse(location))
    throw new Error('--servers: other needs an address, for example other=http://127.0.0.1:8080');
  const { protocol, hostname, port, pathname, password } = new URL(location);
  if (protocol !== 'http:') throw new Error('--servers: other must be http://, without TLS');
  const base = pathname.replace(/\/+$/, '') || BASE;
  return { host: hostname, port: Number(port || 80), base, token: decodeURIComponent(password) };
}
