import type { WatchJob, WatchResult } from '../protocol.js';
import type { HttpResponse, Connection } from './connection.js';
import { eventBodies, newTag } from './event-bodies.js';
import { frameCounter, frameReader } from './frames.js';
import { createLatencies } from './latencies.js';
import { cpuMeter, errorCounter, openConnections } from './load.js';
import { pacedCreates } from './paced.js';
import { eventsPath, requests } from './requests.js';

/**
 * Watchers whose frames are read one by one; those of the others are only counted. They are spread evenly among the
 * others, because a server that writes to all in turn reaches the last later than the first.
 */
const READ_CLOSELY = 10;
const OPENED_AT_ONCE = 50;
const DRAIN_LIMIT_MS = 5_000;
/**
 * Latencies count from here on, if the job is longer than this twice: watches last for hours, and a server that has just got
 * a thousand of them still runs code that V8 has not optimized.
 */
const SETTLED_MS = 3_000;
const WRITERS = 32;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Opens watchers, creates events at a steady rate, and sees when their frames arrive. */
export async function watch(job: WatchJob): Promise<WatchResult> {
  const { target, namespace, watchers, stopped, rate, durationMs } = job;
  const make = requests(target);
  const path = eventsPath(target, namespace);
  const count = Math.floor((rate * durationMs) / 1000);
  const tag = newTag();
  const bodies = eventBodies(target, namespace, tag, job.padding);
  const errors = errorCounter();
  const acked = new Float64Array(count);
  const arrivals: Float64Array[] = [];
  let frames = 0;
  let seen = 0;
  let lastFrame = 0;
  const readers = watchers - stopped;

  const writers = await openConnections(target, WRITERS);
  const revision = await latestRevision(writers[0] as Connection, make.get(`${path}?limit=1`));
  const request = make.get(`${path}?watch=true&resourceVersion=${revision}&timeoutSeconds=3600`);
  const connections: Connection[] = [];
  const onFrames = (count: number): void => {
    frames += count;
    lastFrame = performance.now();
  };
  const open = (connection: Connection, index: number): Promise<void> =>
    new Promise((resolve) => {
      const ended = (response: HttpResponse): void => {
        errors.note(response);
        resolve();
      };
      // The last ones stop reading: their frames are not counted.
      if (index >= readers) return connection.send(request, ended, undefined, () => resolve());
      if (index % Math.ceil(readers / READ_CLOSELY) !== 0) {
        return connection.send(request, ended, frameCounter(onFrames), () => resolve());
      }
      const own = new Float64Array(count);
      arrivals.push(own);
      const sink = frameReader((head) => {
        onFrames(1);
        const at = head.indexOf(`.${tag}`);
        if (at === -1) return;
        const event = Number.parseInt(head.slice(at + 9, at + 17), 16);
        // A later frame of the same event is its deletion.
        if (own[event] !== 0) return;
        own[event] = lastFrame;
        seen += 1;
      });
      connection.send(request, ended, sink, () => resolve());
    });
  for (let first = 0; first < watchers; first += OPENED_AT_ONCE) {
    const some = await openConnections(target, Math.min(OPENED_AT_ONCE, watchers - first));
    connections.push(...some);
    await Promise.race([Promise.all(some.map((connection, index) => open(connection, first + index))), sleep(10_000)]);
  }
  for (const { socket } of connections.slice(readers)) socket.pause();

  const cpu = cpuMeter();
  const begin = performance.now();
  const created = await pacedCreates({
    connections: writers,
    rate,
    durationMs,
    request: (index) => make.post(path, bodies.body(index)),
    onAck: (index, at) => (acked[index] = at),
    onError: errors.note,
  });
  const due = created.acked * readers;
  const dueClosely = created.acked * arrivals.length;
  const drainUntil = performance.now() + DRAIN_LIMIT_MS;
  while ((frames < due || seen < dueClosely) && performance.now() < drainUntil) await sleep(10);
  const clientCpu = cpu();
  for (const connection of [...connections, ...writers]) connection.close();

  const latencies = createLatencies();
  const settled = durationMs > 2 * SETTLED_MS ? (rate * SETTLED_MS) / 1000 : 0;
  for (const own of arrivals) {
    own.forEach((at, index) => {
      if (index >= settled && at !== 0 && acked[index] !== 0) latencies.add(at - (begin + (index * 1000) / rate));
    });
  }
  return {
    createsPerSecond: created.perSecond,
    framesPerSecond: lastFrame === 0 ? 0 : (frames * 1000) / (lastFrame - begin),
    delivered: dueClosely === 0 ? 1 : Math.min(seen / dueClosely, frames / due),
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
    createP99Ms: created.p99Ms,
    errors: errors.count,
    firstError: errors.first,
    frames,
    clientCpu,
  };
}

function latestRevision(connection: Connection, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    connection.send(request, ({ status, start }) => {
      const revision = /"resourceVersion":"(\d+)"/.exec(start)?.[1];
      if (revision === undefined) reject(new Error(`no revision to watch from: ${status} ${start}`));
      else resolve(revision);
    });
  });
}
