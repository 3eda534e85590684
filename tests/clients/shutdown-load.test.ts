import { request, type Agent as HttpAgent, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Event } from '../../src/index.js';
import { manifestText } from './manifests.js';
import { startStandalone, type Standalone } from './standalone.js';

const WRITERS = 8;
const WATCHERS = 8;
/** A hundred times what the requests during the delay take on a quiet machine. A busy one needs more than a second. */
const DELAY_MS = 10_000;
const PATH = '/apis/events.example.com/v1/namespaces/load/events';

/** A response, complete or cut short. */
interface HttpResponse {
  readonly status: number;
  readonly body: string;
  /** False when the connection was cut before the end of the body. */
  readonly complete: boolean;
}

type Ask = (path: string, options?: RequestOptions, body?: string) => Promise<IncomingMessage>;

/** Sends requests to one of the ports as the admin, over kept-alive connections. Rejects when no response came. */
function asker(base: string, token: string, ca: string): Ask {
  const secure = base.startsWith('https:');
  const agent = secure ? new SecureAgent({ keepAlive: true, ca }) : new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return async (path, options = {}, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const made = (secure ? secureRequest : request)(new URL(path, base), {
      headers,
      agent: agent as HttpAgent,
      ...options,
    });
    made.end(body);
    const [response] = (await once(made, 'response')) as [IncomingMessage];
    return response;
  };
}

async function whole(response: IncomingMessage): Promise<HttpResponse> {
  let body = '';
  try {
    for await (const chunk of response) body += String(chunk);
  } catch {
    // `complete` is false then.
  }
  return { status: response.statusCode ?? 0, body, complete: response.complete };
}

/** Writes one event after the other until the server refuses one or is not there any more. */
async function write(
  ask: Ask,
  writer: number,
  onResponse: (response: HttpResponse) => void,
  thinkMs: () => number,
): Promise<void> {
  for (let count = 0; ; count += 1) {
    const name = `w${writer}-${count}`;
    const text = manifestText('events.example.com', name, { metadata: { namespace: 'load' } });
    const response = await ask(PATH, { method: 'POST' }, text).catch(() => undefined);
    if (response === undefined) return;
    const read = await whole(response);
    onResponse(read);
    if (read.status !== 201) return;
    if (thinkMs() > 0) await pause(thinkMs());
  }
}

/** The responses to all writers, in the order in which they arrived. */
interface Tally {
  readonly responses: readonly HttpResponse[];
  readonly add: (response: HttpResponse) => void;
  /** Resolves once this many further responses have arrived. */
  readonly grows: (by: number) => Promise<void>;
}

function createTally(): Tally {
  const responses: HttpResponse[] = [];
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  return {
    responses,
    add(response) {
      responses.push(response);
      for (const { at, resolve } of waiting) if (responses.length >= at) resolve();
    },
    grows: (by) => new Promise((resolve) => waiting.push({ at: responses.length + by, resolve })),
  };
}

/** The revisions in the frames of a watch. */
function revisions(body: string): readonly number[] {
  return body
    .trimEnd()
    .split('\n')
    .map((line) => revision((JSON.parse(line) as { readonly object: Event }).object));
}

const revision = ({ metadata }: Event): number => Number(metadata.resourceVersion);

async function askers(server: Standalone): Promise<readonly Ask[]> {
  const data = dirname(server.kubeconfigPath);
  const token = (await readFile(join(data, 'admin-token'), 'utf8')).trim();
  const ca = await readFile(join(data, 'certs', 'ca.crt'), 'utf8');
  return [server.secureUrl, server.insecureUrl].map((base) => asker(base, token, ca));
}

describe('a server that gets SIGTERM under load', () => {
  it('fails readyz at once, serves through the delay, responds to every accepted request, ends watches cleanly and exits with 0', async () => {
    const server = await startStandalone(`--shutdown-delay-duration=${DELAY_MS}ms`, '--limits=off');
    onTestFinished(async () => void (await server.stop()));
    const asks = await askers(server);
    const askAt = (index: number): Ask => asks[index % asks.length] as Ask;

    const watches = await Promise.all(
      Array.from({ length: WATCHERS }, (_, index) => askAt(index)(`${PATH}?watch=true&resourceVersion=0`)),
    );
    expect(watches.map(({ statusCode }) => statusCode)).toEqual(watches.map(() => 200));
    const watched = watches.map(whole);

    const tally = createTally();
    const begun = tally.grows(WRITERS * 10);
    // Most of the delay passes under little load, so that not too many events come together; its end does not.
    let signalledAt = -Infinity;
    const thinkMs = (): number => {
      const sinceMs = performance.now() - signalledAt;
      return sinceMs < DELAY_MS - 1_000 ? 20 : 0;
    };
    const writers = Array.from({ length: WRITERS }, (_, index) => write(askAt(index), index, tally.add, thinkMs));
    await begun;
    const early = [...tally.responses];

    server.signal();
    signalledAt = performance.now();
    const get = async (path: string): Promise<HttpResponse> => whole(await askAt(0)(path));
    while ((await get('/readyz')).status === 200);
    // readyz fails while everything else is served: new connections, health, writes and reads.
    const served = tally.grows(WRITERS * 5);
    const [fresh] = (await askers(server)) as [Ask];
    expect(await whole(await fresh('/livez'))).toMatchObject({ status: 200, body: 'ok' });
    expect(await get('/readyz?verbose')).toMatchObject({
      status: 500,
      body: expect.stringContaining('\n[-]shutdown failed: ') as string,
    });
    expect(await get(`${PATH}?limit=1`)).toMatchObject({ status: 200 });
    await served;
    expect(await get('/readyz')).toMatchObject({ status: 500 });
    expect(await get('/livez')).toMatchObject({ status: 200, body: 'ok' });

    expect(await server.exited).toBe(0);
    await Promise.all(writers);
    expect(tally.responses.filter(({ complete }) => !complete)).toEqual([]);
    for (const { status, body } of tally.responses) {
      // A write that was not acknowledged was refused with a Status.
      if (status === 201) expect(JSON.parse(body)).toMatchObject({ kind: 'Event' });
      else expect([status, JSON.parse(body)]).toMatchObject([503, { reason: 'ServiceUnavailable' }]);
    }

    // Every watch came to its end after a whole frame, and all have the same history, in order and without a gap.
    const ends = await Promise.all(watched);
    for (const { complete, body } of ends) expect([complete, body.endsWith('\n')]).toEqual([true, true]);
    const histories = ends.map(({ body }) => revisions(body));
    const longest = histories.reduce((best, one) => (one.length > best.length ? one : best));
    expect([...longest].sort((a, b) => a - b)).toEqual(longest);
    for (const history of histories) {
      expect(longest.slice(0, history.length)).toEqual(history);
      expect(history).toEqual(expect.arrayContaining(early.map(({ body }) => revision(JSON.parse(body) as Event))));
    }
    // Every event in the history was acknowledged to its writer.
    const acknowledged = new Set(tally.responses.map(({ body }) => revision(JSON.parse(body) as Event)));
    expect(longest.filter((one) => !acknowledged.has(one))).toEqual([]);
    expect(server.log()).toMatch(/SIGTERM: shutting down\n[^]*\nended\n$/);
  });
});
