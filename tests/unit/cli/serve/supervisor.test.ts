import { describe, expect, it } from 'vitest';
import type { EndSignal } from '../../../../src/cli/command-line/command.js';
import { certificateInUse } from '../../../../src/cli/serve/certificate-in-use.js';
import { supervise, type ExitInfo, type WorkerEvents } from '../../../../src/cli/serve/supervisor.js';
import type { FromWorker, ToWorker } from '../../../../src/cli/serve/worker-messages.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const ADDRESSES = { secureUrl: 'https://127.0.0.1:1', insecureHealthOnly: false };
const CERTIFICATE = { cert: 'the first', key: '', ca: '' };
const ASSIGNMENT = {
  access: { adminToken: 'secret' },
  ports: { securePort: 1, insecurePort: 'off' },
} as const;

/** A process that does nothing by itself. */
function fakeProcess(events: WorkerEvents) {
  const sent: ToWorker[] = [];
  let killed = false;
  return {
    sent,
    isKilled: () => killed,
    send: (message: ToWorker) => void sent.push(message),
    kill: () => void (killed = true),
    say: (message: FromWorker) => events.onMessage(message),
    end: (exit: Partial<ExitInfo>) => events.onEnd({ code: null, signal: null, ...exit }),
    serve(): void {
      events.onMessage({ type: 'ready' });
      events.onMessage({ type: 'serving', addresses: ADDRESSES });
    },
  };
}

function begin(workers: number) {
  const clock = fakeClock();
  const spawned: ReturnType<typeof fakeProcess>[] = [];
  const log: string[] = [];
  const announced: unknown[] = [];
  const metrics: unknown[] = [];
  const certificate = certificateInUse(CERTIFICATE);
  let signal: (signal: EndSignal) => void = () => undefined;
  let code: number | undefined;
  void supervise({
    workers,
    clock,
    spawn(events) {
      const started = fakeProcess(events);
      spawned.push(started);
      return started;
    },
    assignment: ASSIGNMENT,
    certificate,
    onServing: (addresses) => void announced.push(addresses),
    onMetrics: (from, message, others) => void metrics.push([from, message, [...others.keys()]]),
    onSignal: (listener) => {
      signal = listener;
      return () => undefined;
    },
    log: (line) => void log.push(line),
    shutdownLimitMs: 1_000,
  }).then((ended) => (code = ended));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    ...{ clock, spawned, log, announced, metrics, certificate, settle },
    signal: (name: EndSignal) => signal(name),
    process: (index: number) => spawned[index] as ReturnType<typeof fakeProcess>,
    code: async () => {
      await settle();
      return code;
    },
  };
}

async function beginServing(workers: number) {
  const begun = begin(workers);
  begun.process(0).serve();
  for (const one of begun.spawned.slice(1)) one.serve();
  return begun;
}

describe('the start', () => {
  it('begins with the first worker alone, continues with the others, and is announced once when all serve', async () => {
    const { spawned, process, announced } = begin(3);
    expect(spawned).toHaveLength(1);
    process(0).say({ type: 'ready' });
    expect(process(0).sent).toEqual([
      { type: 'start', assignment: { ...ASSIGNMENT, certificate: CERTIFICATE, number: 1 } },
    ]);
    expect(spawned).toHaveLength(1);
    process(0).say({ type: 'serving', addresses: ADDRESSES });
    expect(spawned).toHaveLength(3);
    process(2).serve();
    expect(process(2).sent).toEqual([
      { type: 'start', assignment: { ...ASSIGNMENT, certificate: CERTIFICATE, number: 3 } },
    ]);
    expect(announced).toEqual([]);
    process(1).serve();
    expect(announced).toEqual([ADDRESSES]);
  });

  it('fails with the error of a worker, which is logged once', async () => {
    const { process, spawned, log, code } = begin(2);
    process(0).say({ type: 'ready' });
    process(0).say({ type: 'failed', reason: 'port 1 of 127.0.0.1 is taken' });
    process(0).end({ code: 1 });
    expect(await code()).toBe(1);
    expect(log).toEqual(['error: port 1 of 127.0.0.1 is taken']);
    expect(spawned).toHaveLength(1);
  });

  it('fails where a later worker ends before it has served, and shuts the first one down', async () => {
    const { process, log, code, announced } = begin(2);
    process(0).serve();
    process(1).say({ type: 'ready' });
    process(1).end({ signal: 'SIGSEGV' });
    expect(await code()).toBeUndefined();
    expect(process(0).sent.at(-1)).toEqual({ type: 'signal', signal: 'SIGTERM' });
    process(0).end({ code: 0 });
    expect(await code()).toBe(1);
    expect(log).toEqual(['error: worker 2 was ended by SIGSEGV before it served']);
    expect(announced).toEqual([]);
  });

  it('can be interrupted: a worker without an assignment is killed, and does not affect the exit code', async () => {
    const { process, signal, code, spawned } = begin(2);
    signal('SIGINT');
    process(0).say({ type: 'ready' });
    expect(process(0).isKilled()).toBe(true);
    expect(process(0).sent).toEqual([{ type: 'signal', signal: 'SIGINT' }]);
    process(0).end({ signal: 'SIGKILL' });
    expect(await code()).toBe(0);
    expect(spawned).toHaveLength(1);
  });

  it('starts no further worker when the first one serves after the signal', async () => {
    const { process, signal, spawned, code, announced } = begin(2);
    process(0).say({ type: 'ready' });
    signal('SIGTERM');
    process(0).say({ type: 'serving', addresses: ADDRESSES });
    process(0).end({ code: 0 });
    expect(await code()).toBe(0);
    expect([spawned.length, announced]).toEqual([1, []]);
  });
});

describe('a worker that ends', () => {
  it('is logged, and started again with its number after a pause, and nothing is announced again', async () => {
    const { process, spawned, log, clock, settle, announced } = await beginServing(2);
    process(1).end({ signal: 'SIGKILL' });
    await settle();
    expect(log).toEqual(['worker 2 was ended by SIGKILL; it is started again']);
    expect(spawned).toHaveLength(2);
    clock.advance(100);
    await settle();
    expect(spawned).toHaveLength(3);
    process(2).serve();
    expect(process(2).sent).toEqual([
      { type: 'start', assignment: { ...ASSIGNMENT, certificate: CERTIFICATE, number: 2 } },
    ]);
    expect(log.at(-1)).toBe('worker 2 serves again');
    expect(announced).toHaveLength(1);
  });

  it('is started again after growing pauses, up to 30 seconds, while it does not serve for a minute', async () => {
    const { process, spawned, clock, settle } = await beginServing(1);
    const pauses: number[] = [];
    for (let round = 0; round < 12; round++) {
      process(spawned.length - 1).say({ type: 'ready' });
      process(spawned.length - 1).end({ code: 1, reason: 'out of memory' });
      await settle();
      const [count, begun] = [spawned.length, clock.monotonic()];
      while (spawned.length === count) {
        clock.advance(10);
        await settle();
      }
      pauses.push(clock.monotonic() - begun);
    }
    for (const [index, pause] of pauses.entries()) {
      const longest = Math.min(100 * 2 ** index, 30_000);
      expect(pause).toBeGreaterThanOrEqual(longest / 2);
      expect(pause).toBeLessThanOrEqual(longest + 10);
    }
    process(spawned.length - 1).serve();
    clock.advance(60_000);
    process(spawned.length - 1).end({ code: 1 });
    await settle();
    const count = spawned.length;
    clock.advance(100);
    await settle();
    expect(spawned).toHaveLength(count + 1);
  });

  it('is logged with the reason that it gave', async () => {
    const { process, log, settle } = await beginServing(1);
    process(0).say({ type: 'failed', reason: 'the disk is gone' });
    process(0).end({ code: 1 });
    await settle();
    expect(log).toEqual(['worker 1 ended with 1 (the disk is gone); it is started again']);
  });
});

describe('a certificate that is replaced', () => {
  it('goes to all workers, and to those that are started later', async () => {
    const { spawned, process, certificate, clock, settle } = await beginServing(2);
    const second = { ...CERTIFICATE, cert: 'the second' };
    certificate.replace(second);
    for (const { sent } of spawned) expect(sent.at(-1)).toEqual({ type: 'certificate', certificate: second });
    process(1).end({ signal: 'SIGKILL' });
    await settle();
    clock.advance(100);
    await settle();
    process(2).say({ type: 'ready' });
    expect(process(2).sent).toEqual([{ type: 'start', assignment: { ...ASSIGNMENT, certificate: second, number: 2 } }]);
  });
});

describe('a worker that does not serve', () => {
  it('is killed two minutes after it was started, and started again after a pause', async () => {
    const { process, spawned, log, clock, settle, announced } = await beginServing(2);
    process(1).end({ signal: 'SIGKILL' });
    await settle();
    clock.advance(100);
    await settle();
    process(2).say({ type: 'ready' });
    clock.advance(119_999);
    expect(process(2).isKilled()).toBe(false);
    clock.advance(1);
    expect(process(2).isKilled()).toBe(true);
    expect(process(0).isKilled()).toBe(false);
    process(2).end({ signal: 'SIGKILL' });
    await settle();
    expect(log.slice(1)).toEqual([
      'worker 2 does not serve after 120 seconds and is killed',
      'worker 2 was ended by SIGKILL; it is started again',
    ]);
    expect(spawned).toHaveLength(3);
    clock.advance(200);
    await settle();
    expect(spawned).toHaveLength(4);
    process(3).serve();
    clock.advance(600_000);
    expect([process(0).isKilled(), process(3).isKilled()]).toEqual([false, false]);
    expect(log.at(-1)).toBe('worker 2 serves again');
    expect(announced).toHaveLength(1);
  });

  it.each([0, 1])('is started again during the start, too, as process %d', async (index) => {
    const { process, spawned, clock, code, settle, announced } = begin(2);
    if (index === 1) process(0).serve();
    // Not even ready.
    clock.advance(120_000);
    expect(spawned.map((one) => one.isKilled())).toEqual([[true], [false, true]][index]);
    process(index).end({ signal: 'SIGKILL' });
    await settle();
    clock.advance(100);
    expect(await code()).toBeUndefined();
    for (let next = index + 1; next < spawned.length; next++) process(next).serve();
    expect(announced).toEqual([ADDRESSES]);
  });

  it('is not killed for it when a shutdown has begun, which has its own limit', async () => {
    const { process, signal, clock, log, settle } = await beginServing(1);
    clock.advance(1_000);
    process(0).end({ code: 1 });
    await settle();
    clock.advance(100);
    await settle();
    process(1).say({ type: 'ready' });
    clock.advance(119_500);
    signal('SIGTERM');
    clock.advance(999);
    expect(process(1).isKilled()).toBe(false);
    expect(log.at(-1)).toBe('SIGTERM: shutting down the workers');
    clock.advance(1);
    expect(process(1).isKilled()).toBe(true);
  });
});

describe('a signal', () => {
  it('goes to all workers, and the exit code is the worst of theirs', async () => {
    const { process, signal, log, code, spawned, clock, settle } = await beginServing(3);
    signal('SIGTERM');
    expect(spawned.map(({ sent }) => sent.at(-1))).toEqual(Array(3).fill({ type: 'signal', signal: 'SIGTERM' }));
    process(0).end({ code: 0 });
    process(1).end({ code: 1 });
    expect(await code()).toBeUndefined();
    process(2).end({ code: 0 });
    expect(await code()).toBe(1);
    clock.advance(60_000);
    await settle();
    expect(spawned).toHaveLength(3);
    expect(log).toEqual(['SIGTERM: shutting down the workers']);
  });

  it('gives 0 where all workers end as they should, and 1 where a signal has ended one', async () => {
    for (const [exit, expected] of [
      [{ code: 0 }, 0],
      [{ signal: 'SIGKILL' }, 1],
    ] as const) {
      const { process, signal, code } = await beginServing(2);
      signal('SIGINT');
      process(0).end({ code: 0 });
      process(1).end(exit);
      expect(await code()).toBe(expected);
    }
  });

  it('that comes again kills all workers', async () => {
    const { process, signal, log, code, spawned } = await beginServing(2);
    signal('SIGTERM');
    signal('SIGINT');
    expect(spawned.map((one) => one.isKilled())).toEqual([true, true]);
    expect(log.at(-1)).toBe('SIGINT again: ending at once');
    process(0).end({ signal: 'SIGKILL' });
    process(1).end({ signal: 'SIGKILL' });
    expect(await code()).toBe(1);
  });

  it('ends the pause before a worker is started again', async () => {
    const { process, signal, code, spawned, settle } = await beginServing(1);
    process(0).end({ code: 1 });
    await settle();
    signal('SIGTERM');
    expect(await code()).toBe(0);
    expect(spawned).toHaveLength(1);
  });

  it('kills workers whose shutdown takes too long, and reports this', async () => {
    const { process, signal, clock, log, code } = await beginServing(2);
    signal('SIGTERM');
    process(0).end({ code: 0 });
    clock.advance(999);
    expect(process(1).isKilled()).toBe(false);
    clock.advance(1);
    expect([process(0).isKilled(), process(1).isKilled()]).toEqual([false, true]);
    expect(log.at(-1)).toBe('1 of 2 workers took too long to shut down and are killed');
    process(1).end({ signal: 'SIGKILL' });
    expect(await code()).toBe(1);
  });
});

it('messages of workers about metrics are passed on with the workers that run', async () => {
  const { process, metrics } = await beginServing(2);
  process(1).say({ type: 'metrics.requested', id: 1 });
  expect(metrics).toEqual([[2, { type: 'metrics.requested', id: 1 }, [1, 2]]]);
});
