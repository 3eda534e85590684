import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { Socket } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { connect } from 'node:tls';
import { getHeapStatistics } from 'node:v8';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as checks from '../../../src/checks.js';
import { toOutcome } from '../../../src/health/outcome.js';
import { memoryStore } from '../../../src/index.js';
import { fakeClock } from '../../../src/testing.js';

vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  readFile: vi.fn(),
  statfs: vi.fn(),
}));
vi.mock('node:perf_hooks', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  monitorEventLoopDelay: vi.fn(),
  performance: { eventLoopUtilization: vi.fn() },
}));
vi.mock('node:process', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  memoryUsage: { rss: vi.fn() },
}));
vi.mock('node:tls', async (importOriginal) => ({ ...(await importOriginal<object>()), connect: vi.fn() }));
vi.mock('node:v8', async (importOriginal) => ({ ...(await importOriginal<object>()), getHeapStatistics: vi.fn() }));

const { certificateCheck, createHolds, diskCheck, dnsCheck, eventLoopDelayCheck, eventLoopUtilizationCheck } = checks;
const { gaugeCheck, heapCheck, httpCheck, memoryCheck, storeCheck, tcpCheck } = checks;

const run = async ({ check }: checks.HealthCheck): Promise<unknown> => check({ signal: new AbortController().signal });
/** The second run: some checks compare with the run before. */
const runTwice = async (check: checks.HealthCheck): Promise<unknown> => {
  await run(check);
  return run(check);
};

afterEach(() => {
  vi.resetAllMocks();
  vi.unstubAllGlobals();
});

/** Every ready-made check with the fewest options, and all members that it has besides its function. */
const DEFAULTS: Readonly<Record<string, readonly [made: () => checks.HealthCheck, members: object]>> = {
  eventLoopDelayCheck: [() => eventLoopDelayCheck(), { name: 'event-loop-delay' }],
  eventLoopUtilizationCheck: [
    () => eventLoopUtilizationCheck(),
    { name: 'event-loop-utilization', periodMs: 10_000, failureThreshold: 3 },
  ],
  heapCheck: [() => heapCheck(), { name: 'heap', periodMs: 10_000, failureThreshold: 3 }],
  memoryCheck: [() => memoryCheck(), { name: 'process-memory', periodMs: 10_000, failureThreshold: 3 }],
  diskCheck: [() => diskCheck({ path: '/' }), { name: 'disk', cacheMs: 10_000 }],
  tcpCheck: [() => tcpCheck({ host: 'a', port: 1 }), { name: 'tcp', cacheMs: 1_000 }],
  dnsCheck: [() => dnsCheck({ hostname: 'a' }), { name: 'dns', cacheMs: 1_000 }],
  httpCheck: [() => httpCheck({ url: 'http://a/' }), { name: 'http', cacheMs: 1_000 }],
  certificateCheck: [() => certificateCheck({ host: 'a' }), { name: 'certificate', cacheMs: 60_000 }],
  gaugeCheck: [() => gaugeCheck({ value: () => 1, max: 1 }), { name: 'gauge' }],
  createHolds: [() => createHolds().check, { name: 'holds' }],
  storeCheck: [
    () => storeCheck(memoryStore()),
    { name: 'memory', timeoutMs: 2_000, cacheMs: 1_000, endpoints: ['readyz', 'healthz'] },
  ],
};

describe('a ready-made check without options', () => {
  it('is in the table', () => {
    expect(Object.keys(DEFAULTS).sort()).toEqual(Object.keys(checks).sort());
  });

  it.each(Object.entries(DEFAULTS))('has the documented name and timing: %s', (_name, [made, members]) => {
    const { check: _check, ...rest } = made();
    expect(rest).toEqual(members);
  });
});

/** A server's or machine's reading, faked, and what the check makes of it. */
type Reading = (value: number) => Promise<unknown>;

const loopDelay: Reading = (ms) => {
  const percentile = (which: number): number => (which === 99 ? (ms + 20) * 1e6 : 0);
  const histogram = { count: 1, percentile, enable: () => true, disable: () => true, reset: () => undefined };
  vi.mocked(monitorEventLoopDelay).mockReturnValue(histogram as never);
  return runTwice(eventLoopDelayCheck());
};
const loopUtilization: Reading = (utilization) => {
  vi.mocked(performance.eventLoopUtilization).mockReturnValue({ utilization, active: 0, idle: 0 });
  return runTwice(eventLoopUtilizationCheck());
};
const heapUsed: Reading = (used) => {
  vi.mocked(getHeapStatistics).mockReturnValue({ used_heap_size: used, heap_size_limit: 1_000 } as never);
  return run(heapCheck());
};
const residentMemory: Reading = (used) => {
  vi.mocked(memoryUsage.rss).mockReturnValue(used);
  return run(memoryCheck({ limitBytes: 1_000 }));
};
/** Blocks of 4 KiB that are available, of 1,000. */
const availableBlocks =
  (options: object = {}): Reading =>
  (bavail) => {
    vi.mocked(statfs).mockResolvedValue({ bavail, blocks: 1_000, bsize: 4_096 } as never);
    return run(diskCheck({ path: '/', ...options }));
  };

/** Milliseconds by which the clock of the process is ahead of the store's. */
const clockAhead: Reading = async (ms) => {
  const clock = fakeClock();
  const store = { ...memoryStore(), now: () => Promise.resolve(clock.now() - ms * 1_000) };
  return (await run(storeCheck(store, { clock }))) ?? true;
};

describe('the default limit of a check', () => {
  it.each<[string, Reading, passes: number, fails: number, reason: RegExp]>([
    ['a delay of 1,000 ms at the 99th percentile', loopDelay, 1_000, 1_001, /by 1001 ms, more than 1000$/],
    ['a utilization of the event loop of 0.98', loopUtilization, 0.98, 0.981, /98\.1 % of .* more than 98\.0 %$/],
    ['0.95 of the limit of the heap', heapUsed, 950, 951, /95\.1 % of 1000 bytes, more than 95\.0 %$/],
    ['0.95 of the limit of memory', residentMemory, 950, 951, /95\.1 % of 1000 bytes, more than 95\.0 %$/],
    ['0.05 of a file system', availableBlocks(), 50, 49, /^200704 bytes \(4\.9 %\) are free at \/$/],
    ['5,000 ms between the clocks of process and store', clockAhead, 5_000, 5_001, /5 s ahead of the store's$/],
  ])('is %s, and the next value fails', async (_what, verdictAt, passes, fails, reason) => {
    expect(await verdictAt(passes)).toBe(true);
    expect(await verdictAt(fails)).toEqual({ ok: false, reason: expect.stringMatching(reason) as unknown });
  });

  it('is no number of bytes of a file system', async () => {
    expect(await availableBlocks({ minFree: 0 })(0)).toBe(true);
    expect(await availableBlocks({ minFree: 0, minFreeBytes: 1 })(0)).toMatchObject({ ok: false });
  });

  it('is none for the bound of a gauge that is not given', async () => {
    expect(await run(gaugeCheck({ value: () => -Infinity, max: 1 }))).toBe(true);
    expect(await run(gaugeCheck({ value: () => Infinity, min: 1 }))).toBe(true);
  });

  it('is 7 days before a certificate expires', async () => {
    const { cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
      notAfterDate: new Date('2031-01-31T00:00:00Z'),
      keySize: 2048,
    });
    vi.mocked(readFile).mockResolvedValue(cert);
    const end = Date.parse(new X509Certificate(cert).validTo);
    const verdictBefore = (ms: number): Promise<unknown> =>
      run(certificateCheck({ file: 'cert.pem', clock: fakeClock({ now: (end - ms) * 1_000 }) }));
    expect(await verdictBefore(604_800_000)).toBe(true);
    expect(await verdictBefore(604_799_999)).toMatchObject({ ok: false, critical: false });
    expect(await verdictBefore(1)).toMatchObject({ ok: false, critical: false });
    expect(await verdictBefore(0)).toEqual({ ok: false, reason: expect.stringMatching(/^expired at /) as unknown });
  });
});

describe('a request of a check without options', () => {
  it('is GET without headers, and passes with a status from 200 to 399', async () => {
    const requests: unknown[] = [];
    const okWith = async (status: number): Promise<boolean> => {
      vi.stubGlobal('fetch', (...request: unknown[]) => {
        requests.push(request);
        return Promise.resolve(new Response(null, { status }));
      });
      return toOutcome(await run(httpCheck({ url: 'http://a/' }))).ok;
    };
    expect([await okWith(200), await okWith(399), await okWith(400), await okWith(599)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(requests[0]).toEqual([
      'http://a/',
      { method: 'GET', headers: {}, redirect: 'manual', signal: expect.any(AbortSignal) as unknown },
    ]);
  });

  it.each([
    ['example.com', 'example.com'],
    ['192.0.2.1', ''],
    ['2001:db8::1', ''],
  ])('goes to port 443 of %s for its certificate, with its name if it has one', async (host, servername) => {
    vi.mocked(connect).mockImplementation(() => {
      const socket = new Socket();
      process.nextTick(() => socket.destroy(new Error('no connection in this test')));
      return socket as never;
    });
    await expect(run(certificateCheck({ host }))).rejects.toThrow('no connection in this test');
    expect(vi.mocked(connect).mock.calls).toEqual([[{ host, port: 443, servername, rejectUnauthorized: false }]]);
  });
});
