import type { LoadJob, LoadResult, Target } from '../protocol.js';
import { Connection, type HttpResponse } from './connection.js';
import { flows, type Flow } from './flows.js';
import { createLatencies } from './latencies.js';

/** Connections that are all open, or an error. */
export async function openConnections({ host, port }: Target, count: number, kept?: number): Promise<Connection[]> {
  const connections = Array.from({ length: count }, () => new Connection(host, port, kept));
  await Promise.all(
    connections.map(
      ({ socket }) =>
        new Promise<void>((resolve, reject) => {
          socket.once('connect', resolve);
          socket.once('error', reject);
        }),
    ),
  );
  return connections;
}

/** The client's own share of one core since the call. */
export function cpuMeter(): () => number {
  const cpu = process.cpuUsage();
  const start = performance.now();
  return () => {
    const used = process.cpuUsage(cpu);
    return (used.user + used.system) / 1000 / (performance.now() - start);
  };
}

/** Counts errors, and keeps the text of the first one. */
export function errorCounter(): { note(response: HttpResponse): void; readonly count: number; readonly first: string } {
  let count = 0;
  let first = '';
  return {
    note({ status, start }) {
      count += 1;
      first ||= `${status} ${start.slice(0, 200)}`;
    },
    get count() {
      return count;
    },
    get first() {
      return first;
    },
  };
}

/** The most bytes of a response with one event of the data set. */
const WHOLE_EVENT = 8_192;

/** Keeps every connection busy with one request at a time until the time is over or the count is reached. */
export async function load(job: LoadJob): Promise<LoadResult> {
  const readsFirst = job.kind === 'update' || job.kind === 'versioned-patch';
  const connections = await openConnections(job.target, job.connections, readsFirst ? WHOLE_EVENT : undefined);
  const flow = flows(job);
  const errors = errorCounter();
  const latencies = createLatencies();
  const firstBytes = createLatencies();
  const limit = job.count ?? Infinity;
  const cpu = cpuMeter();
  const begin = performance.now();
  const from = begin + (job.count === undefined ? job.warmupMs : 0);
  const until = from + job.durationMs;
  let sent = 0;
  let allResponses = 0;
  let bytes = 0;
  let last = from;

  const run = (connection: Connection, own: Flow): Promise<void> =>
    new Promise((resolve) => {
      let start = 0;
      const ask = (): void => {
        start = performance.now();
        const request = start >= until || sent >= limit ? undefined : own.next();
        if (request === undefined) return resolve();
        sent += 1;
        connection.send(request, done);
      };
      const done = (response: HttpResponse): void => {
        const now = performance.now();
        allResponses += 1;
        if (response.status < 200 || response.status > 299) {
          errors.note(response);
          if (response.status === 0) return resolve();
        } else if (start >= from) {
          latencies.add(now - start);
          firstBytes.add(response.headAt - start);
          bytes += response.length;
          last = now;
        }
        own.seen?.(response);
        ask();
      };
      ask();
    });
  await Promise.all(connections.map((connection) => run(connection, flow())));
  const clientCpu = cpu();
  for (const connection of connections) connection.close();
  const seconds = Math.max(last - from, 1) / 1000;
  return {
    perSecond: latencies.count / seconds,
    mbPerSecond: bytes / 1e6 / seconds,
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
    maxMs: latencies.percentile(1),
    firstByteMs: firstBytes.percentile(0.5),
    errors: errors.count,
    firstError: errors.first,
    allResponses,
    clientCpu,
  };
}
