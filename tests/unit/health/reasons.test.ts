import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CheckReport, HealthChange } from '../../../src/health/contract.js';
import { createHealth } from '../../../src/health/create-health.js';
import type { Observation } from '../../../src/observe/observation.js';
import { get } from './asking.js';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** The address of a server with this listener. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => (server.close(), server.closeAllConnections()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function verdictOf(check: () => unknown): Promise<CheckReport | undefined> {
  const health = createHealth();
  health.add({ name: 'it', check: check as () => undefined });
  return (await health.report('readyz')).checks.find(({ name }) => name === 'it');
}

describe('a check that returns the response of fetch', () => {
  it.each([
    [200, 'OK', 'ok', undefined],
    [204, 'No Content', 'ok', undefined],
    [304, 'Not Modified', 'ok', undefined],
    [404, 'Not Found', 'failed', 'answered 404 Not Found'],
    [503, 'Service Unavailable', 'failed', 'answered 503 Service Unavailable'],
    [599, '', 'failed', 'answered 599'],
  ])('has the verdict of a kubelet for %i %s', async (status, text, verdict, reason) => {
    const url = await serve((_request, response) => response.writeHead(status, text).end());
    const report = await verdictOf(() => fetch(url));
    expect(report).toMatchObject({ status: verdict });
    expect(report?.reason).toBe(reason);
  });

  it('does not keep the connection busy with a body that nobody reads', async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) }, { highWaterMark: 0 });
    expect(await verdictOf(() => new Response(body))).toMatchObject({ status: 'ok' });
    expect(cancelled).toBe(true);
  });

  it('may be one of node-fetch, whose body is a Node stream', async () => {
    const respond = (status: number, statusText: string): (() => unknown) => {
      const body = Readable.from(['up']);
      bodies.push(body);
      return () => ({ [Symbol.toStringTag]: 'Response', status, statusText, body });
    };
    const bodies: Readable[] = [];
    expect(await verdictOf(respond(200, 'OK'))).toMatchObject({ status: 'ok' });
    const reason = 'answered 503 Service Unavailable';
    expect(await verdictOf(respond(503, 'Service Unavailable'))).toMatchObject({ status: 'failed', reason });
    // Read to the end, so that the connection is free.
    await vi.waitFor(() => expect(bodies.map(({ readableEnded }) => readableEnded)).toEqual([true, true]));
  });

  it('may have read the body before', async () => {
    const check = async (): Promise<Response> => {
      const response = new Response('up', { status: 500 });
      await response.text();
      return response;
    };
    expect(await verdictOf(check)).toMatchObject({ status: 'failed', reason: 'answered 500' });
  });
});

describe('the error of a check', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  const error = new Error('fetch failed', { cause });
  const reason = 'fetch failed: connect ECONNREFUSED 127.0.0.1:5432';

  it('is the reason with its cause', async () => {
    expect(await verdictOf(() => Promise.reject(error))).toMatchObject({ reason });
    expect(await verdictOf(() => error)).toMatchObject({ reason });
    expect(await verdictOf(() => ({ ok: false, reason: error }))).toMatchObject({ reason });
  });

  it('reaches observe and the listeners itself, for the root and for the single check', async () => {
    const seen: Observation[] = [];
    const changes: HealthChange[] = [];
    const health = createHealth({ observe: (observation) => void seen.push(observation) });
    health.onChange((change) => changes.push(change));
    health.add({ name: 'database', check: () => Promise.reject(error) });
    await get(health, '/readyz');
    await get(health, '/readyz/database');
    const failures = [{ name: 'database', reason, error }];
    expect(seen.filter(({ type }) => type !== 'health.probed')).toEqual([
      { type: 'health.changed', check: 'database', status: 'failed', reason, error },
      { type: 'health.failed', root: 'readyz', failures },
      { type: 'health.failed', root: 'readyz', failures },
    ]);
    expect(seen.every((observation) => observation.type !== 'health.changed' || observation.error === error)).toBe(
      true,
    );
    expect(changes[0]?.error).toBe(error);
  });

  it('is in no response, and its own properties are in no report', async () => {
    const health = createHealth();
    health.add({ name: 'database', check: () => Promise.reject(Object.assign(error, { config: 's3cret' })) });
    expect(JSON.stringify(await health.report('readyz'))).not.toContain('s3cret');
    for (const url of ['/readyz', '/readyz?verbose', '/readyz?format=json', '/readyz/database']) {
      const { status, text } = await get(health, url);
      expect(status).toBe(500);
      expect(text).not.toMatch(/s3cret|fetch failed|ECONNREFUSED/);
    }
  });

  it('of a post-start hook is observed itself', async () => {
    const seen: Observation[] = [];
    const health = createHealth({ observe: (observation) => void seen.push(observation) });
    health.addPostStartHook('migrate').failed(error);
    await get(health, '/readyz');
    expect(seen.find(({ type }) => type === 'health.failed')).toMatchObject({ failures: [{ reason, error }] });
  });
});

describe('the duration of a run', () => {
  it('has at most three decimals in the report and in format=json', async () => {
    let at = 0;
    const clock = {
      now: () => 0,
      monotonic: () => (at += 0.008051999999963755),
      setTimer: () => ({ cancel: () => undefined }),
    };
    const health = createHealth({ clock });
    health.add({ name: 'it', check: () => true });
    expect((await get(health, '/readyz?format=json')).text).toMatch(/"durationMs":0\.008[,}]/);
  });
});
