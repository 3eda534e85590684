import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { Session, type Profiler } from 'node:inspector';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { JsonCalls, Usage } from '../protocol.js';
import { answerCalls } from '../rpc.js';

/** Lets the server listen on a free port of the loopback address, and handles the harness's calls about the process. */
export async function serveBench(
  server: Server,
  more: Readonly<Record<string, (params: never) => unknown>> = {},
): Promise<void> {
  server.keepAliveTimeout = 600_000;
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
  const { port } = server.address() as AddressInfo;
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const json = jsonCounter();
  const profiler = createProfiler();
  answerCalls({
    ...more,
    port: () => port,
    usage: (): Usage => {
      const cpu = process.cpuUsage();
      const memory = process.memoryUsage();
      return {
        cpuUs: cpu.user + cpu.system,
        rssMb: memory.rss / 1e6,
        heapMb: memory.heapUsed / 1e6,
        loopP99Ms: loop.percentile(99) / 1e6,
        loopMaxMs: loop.max / 1e6,
      };
    },
    // Only on demand: its timer would cost every other phase.
    resetLoop: () => {
      loop.reset();
      loop.enable();
    },
    stopLoop: () => loop.disable(),
    countJson: json.start,
    jsonCalls: json.stop,
    startProfile: profiler.start,
    stopProfile: profiler.stop,
  });
}

function jsonCounter(): { start(): void; stop(): JsonCalls } {
  const { parse, stringify } = JSON;
  let calls = { parse: 0, stringify: 0 };
  return {
    start() {
      calls = { parse: 0, stringify: 0 };
      JSON.parse = (...args: Parameters<typeof parse>): unknown => ((calls.parse += 1), parse(...args));
      JSON.stringify = ((...args: Parameters<typeof stringify>) => (
        (calls.stringify += 1),
        stringify(...args)
      )) as typeof stringify;
    },
    stop() {
      JSON.parse = parse;
      JSON.stringify = stringify;
      return calls;
    },
  };
}

function createProfiler(): { start(): Promise<void>; stop(file: string): Promise<void> } {
  const session = new Session();
  const post = (method: 'Profiler.enable' | 'Profiler.start'): Promise<void> =>
    new Promise((resolve, reject) => session.post(method, (error) => (error ? reject(error) : resolve())));
  return {
    async start() {
      session.connect();
      await post('Profiler.enable');
      await new Promise<void>((resolve) =>
        session.post('Profiler.setSamplingInterval', { interval: 200 }, () => resolve()),
      );
      await post('Profiler.start');
    },
    async stop(file) {
      const profile = await new Promise<Profiler.Profile>((resolve, reject) =>
        session.post('Profiler.stop', (error, result) => (error ? reject(error) : resolve(result.profile))),
      );
      session.disconnect();
      writeFileSync(file, JSON.stringify(profile));
    },
  };
}
