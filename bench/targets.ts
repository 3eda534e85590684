/** A target: a figure by its id, and its bound. Ratios are to the floor unless a comment says otherwise. */
export interface BenchTarget {
  /** `<phase>.<metric>.<server>` */
  readonly id: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const STORES = ['memory', 'sqlite', 'postgres'];
const LARGEST = 'size-1000000';

export const targets: readonly BenchTarget[] = [
  { id: 'health.rate.memory', atLeast: 0.8 },
  { id: 'livez.rate.memory', atLeast: 0.9 },
  { id: 'get.rate.memory', atLeast: 0.85 },
  { id: 'create-64.rate.memory', atLeast: 0.7 },
  { id: 'create-go.rate.memory', atLeast: 0.7 },
  { id: 'create-kubectl.rate.memory', atLeast: 0.6 },
  { id: 'update.rate.memory', atLeast: 0.6 },
  { id: 'patch.rate.memory', atLeast: 0.6 },
  { id: 'versioned-patch.rate.memory', atLeast: 0.6 },
  { id: 'pages.mb.memory', atLeast: 1 },
  { id: 'pages.first-byte.memory', atMost: 10 },
  { id: 'first-pages.mb.memory', atLeast: 0.7 },
  { id: 'list.mb.memory', atLeast: 1.2 },
  { id: 'list.first-byte.memory', atMost: 10 },
  { id: 'regarding.rate.memory', atLeast: 0.8 },
  { id: 'watch-100.p99.memory', atMost: 1.5 },
  { id: 'watch-1000.rate.memory', atLeast: 0.9 },
  { id: 'watch-1000.p99.memory', atMost: 1.3 },
  { id: 'slow.others-p99.memory', atMost: 1.05 },
  // In a framework ratios are to its bare routes, and those for a thousand watchers also to the floor.
  { id: 'get.rate.express', atLeast: 0.8 },
  { id: 'get.rate.fastify', atLeast: 0.8 },
  { id: 'get.rate.hono', atLeast: 0.8 },
  { id: 'watch-1000.of-floor.hono', atLeast: 0.8 },
  // Durable before it is acknowledged; never under 0.35.
  { id: 'create-64.rate.sqlite', atLeast: 0.4 },
  // Behind a watch cache: reads as with the memory store.
  { id: 'get.rate.cached-sqlite', atLeast: 0.85 },
  { id: 'pages.mb.cached-sqlite', atLeast: 1 },
  { id: 'first-pages.mb.cached-sqlite', atLeast: 0.7 },
  { id: 'list.mb.cached-sqlite', atLeast: 1.2 },
  { id: 'regarding.rate.cached-sqlite', atLeast: 0.8 },
  { id: 'create-64.rate.cached-sqlite', atLeast: 0.4 },
  { id: 'update.rate.cached-sqlite', atLeast: 0.3 },
  { id: 'patch.rate.cached-sqlite', atLeast: 0.3 },

  // Read paths respond with encoded bytes: calls of JSON.parse and JSON.stringify for each response or frame.
  { id: 'json.get.memory', atMost: 0 },
  { id: 'json.list.memory', atMost: 0.01 },
  { id: 'json.frame.memory', atMost: 0.01 },

  { id: `${LARGEST}.rss.memory`, atMost: 1_400 },
  { id: `${LARGEST}.loop-p99.memory`, atMost: 20 },
  { id: `${LARGEST}.start-loop-max.cached-sqlite`, atMost: 20 },
  // Cost at a million, as a ratio of the cost at 10,000.
  ...['memory', 'cached-sqlite'].flatMap((store) =>
    ['get', 'deep-page'].map((what) => ({ id: `${LARGEST}.${what}.${store}`, atMost: 1.2 })),
  ),
  ...STORES.flatMap((store) =>
    ['create', 'get', 'first-page', 'newest', 'regarding']
      .filter((what) => what !== 'get' || store !== 'memory')
      .map((what) => ({ id: `${LARGEST}.${what}.${store}`, atMost: 1.5 })),
  ),
  { id: 'storm.loop-p99.memory', atMost: 20 },
  { id: 'expiry.loop-max.memory', atMost: 10 },
  { id: 'host.added-p99.sqlite', atMost: 2 },
  // The longest time that one request can block the event loop.
  { id: 'hostile.authenticated.memory', atMost: 50 },
  { id: 'hostile.authenticated-3mib.memory', atMost: 50 },
  { id: 'hostile.unauthenticated.memory', atMost: 5 },
  { id: 'imports.time.health', atMost: 5 },
  { id: 'imports.time.root', atMost: 35 },
  { id: 'imports.cpu.probe', atMost: 30 },
  // Compared with a server that observes nothing.
  { id: 'metrics.get.memory', atMost: 1.03 },
];
