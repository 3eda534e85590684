import type { Metric, Phase } from './contract.js';
import { metered } from './metered.js';

const METRICS: readonly Metric[] = [
  { key: 'rate', as: 'ratio', unit: '×', better: 'higher' },
  { key: 'of-floor', as: 'floor-ratio', unit: '×', better: 'higher' },
  { key: 'cpu', as: 'ratio', unit: '×', better: 'lower' },
  { key: 'p50', as: 'value', unit: 'ms', better: 'lower' },
  { key: 'p99', as: 'ratio', unit: '×', better: 'lower' },
  { key: 'delivered', as: 'value', unit: '', better: 'higher' },
];

const fanOut = (watchers: number): Phase => ({
  id: `watch-${watchers}`,
  title: `${watchers} watcher${watchers === 1 ? '' : 's'} × 500 creates a second: frames, and from the moment a create was due to its frame`,
  slices: 1,
  metrics: METRICS,
  mounts: watchers === 1_000,
  async measure(bench, server) {
    const namespace = `bench-watch-${watchers}`;
    const job = { namespace, watchers, stopped: 0, rate: 500, durationMs: bench.options.times.watchMs, padding: 0 };
    const { result, cpuUs } = await metered(
      bench,
      server,
      this.id,
      () => bench.client.watch(server, job),
      (r) => r.frames,
    );
    return {
      rate: result.framesPerSecond,
      'of-floor': result.framesPerSecond,
      cpu: cpuUs,
      p50: result.p50Ms,
      p99: result.p99Ms,
      delivered: result.delivered,
    };
  },
});

/** Fifty watchers of large events: first all of them read, then five have stopped. */
const slowWatchers: Phase = {
  id: 'slow',
  title: '5 of 50 watchers stop reading, 100 events of 17 kB a second: p99 of the others, with ÷ without',
  slices: 1,
  metrics: [
    { key: 'others-p99', as: 'value', unit: '×', better: 'lower' },
    { key: 'others-p50', as: 'value', unit: '×', better: 'lower' },
    { key: 'delivered', as: 'value', unit: '', better: 'higher' },
    { key: 'rss', as: 'value', unit: 'MB', better: 'lower' },
  ],
  async measure(bench, server) {
    const durationMs = bench.options.times.watchMs;
    const job = { namespace: 'bench-slow', watchers: 50, rate: 100, durationMs, padding: 16_000 };
    const earlier = await bench.client.watch(server, { ...job, stopped: 0 });
    const before = await server.usage();
    const stopped = await bench.client.watch(server, { ...job, stopped: 5 });
    const after = await server.usage();
    // Each of the three jobs leaves 25 MB of events behind, so the job without stopped readers runs before and after
    // the other.
    const later = await bench.client.watch(server, { ...job, stopped: 0 });
    return {
      'others-p99': (stopped.p99Ms * 2) / (earlier.p99Ms + later.p99Ms),
      'others-p50': (stopped.p50Ms * 2) / (earlier.p50Ms + later.p50Ms),
      delivered: stopped.delivered,
      rss: before && after ? after.rssMb - before.rssMb : Number.NaN,
    };
  },
};

export const watchPhases: readonly Phase[] = [fanOut(1), fanOut(100), fanOut(1_000), slowWatchers];
