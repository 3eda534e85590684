/** Where an events API is, as the client needs it. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** `/apis/<group>/<version>`. */
  readonly base: string;
  readonly token: string;
}

/** The kinds of requests of a load job. */
export type LoadKind =
  | 'health'
  | 'livez'
  | 'create'
  | 'get'
  /** Get, then PUT of the whole object. */
  | 'update'
  | 'patch'
  /** Get, then a merge patch with the object's resourceVersion. */
  | 'versioned-patch'
  | 'page'
  | 'list'
  | 'first-page'
  /** A page from the middle of the data set, always the same. */
  | 'deep-page'
  /** A page of one event. */
  | 'peek'
  /** Each connection walks once over a namespace of its own: the job's with the connection's number behind it. */
  | 'walk-once'
  | 'regarding';

/** The client whose creates are imitated. */
export type ClientName = 'node' | 'go' | 'kubectl' | 'python' | 'protobuf';

export interface LoadJob {
  readonly target: Target;
  readonly kind: LoadKind;
  /** Of creates. Default: `node`. */
  readonly client?: ClientName | undefined;
  readonly namespace: string;
  /** How many events the namespace was filled with. */
  readonly size: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  /** Ends after this many responses, unless the time is over before. There is no warm-up then. */
  readonly count?: number | undefined;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly mbPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Median time until the head of the response. */
  readonly firstByteMs: number;
  readonly errors: number;
  readonly firstError: string;
  /** Responses in the whole job, warm-up included, for which the server's CPU was used. */
  readonly allResponses: number;
  /** Share of one core the client used. */
  readonly clientCpu: number;
}

export interface FillJob {
  readonly target: Target;
  readonly namespace: string;
  readonly size: number;
  /** The first index to create: events before it exist already. */
  readonly from: number;
  readonly connections: number;
}

export interface FillResult {
  readonly perSecond: number;
  readonly errors: number;
  readonly firstError: string;
}

export interface WatchJob {
  readonly target: Target;
  readonly namespace: string;
  readonly watchers: number;
  /** How many of them stop reading when all are open. */
  readonly stopped: number;
  /** Creates a second, sent on schedule whether or not the responses keep up. */
  readonly rate: number;
  readonly durationMs: number;
  /** Bytes of padding in each event. */
  readonly padding: number;
}

export interface WatchResult {
  readonly createsPerSecond: number;
  readonly framesPerSecond: number;
  /** The share of due frames that arrived; below 1 the watchers were still behind when the job ended. */
  readonly delivered: number;
  /**
   * From the moment a create was due until its frame was there. Creates of the first three seconds are not counted: opening a
   * thousand watchers takes more than sending them frames, and its garbage is collected then.
   */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly createP99Ms: number;
  readonly errors: number;
  readonly firstError: string;
  readonly frames: number;
  readonly clientCpu: number;
}

/** The resource usage of a server process. */
export interface Usage {
  /** CPU time so far, microseconds. */
  readonly cpuUs: number;
  readonly rssMb: number;
  readonly heapMb: number;
  /** Event-loop delay since the last `resetLoop`, milliseconds; the meter's own 1 ms is included. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

/** Calls of JSON.parse and JSON.stringify. */
export interface JsonCalls {
  readonly parse: number;
  readonly stringify: number;
}

/** The web frameworks that our handler is measured in. */
export const FRAMEWORKS = ['express', 'hono', 'fastify'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export type StoreKind = 'memory' | 'sqlite' | 'postgres' | 'etcd';

/** How one of our server processes is set up. */
export interface VitalsServerOptions {
  readonly store: StoreKind;
  /** Whether a watch cache stands in front of the store. */
  readonly cached?: boolean | undefined;
  readonly mount: 'node' | Framework;
  /** Whether every observation is counted by `kube-vitals/metrics`. */
  readonly metrics?: boolean | undefined;
  /** A database's address, or a file. */
  readonly location: string;
  readonly ttlMs: number;
  readonly historyMs: number;
  /** The API group is `events.` and this domain. */
  readonly apiDomain: string;
}

export const TOKEN = 'benchmark-token';
/** Another caller of our servers. */
export const FLOOD_TOKEN = 'flooding-token';
export const API_DOMAIN = 'example.com';
export const baseOf = <Domain extends string>(apiDomain: Domain) => `/apis/events.${apiDomain}/v1` as const;
export const BASE = baseOf(API_DOMAIN);
