import { describe, expect, onTestFinished, test } from 'vitest';
import { allowAuthenticated, createApiServer, createHealth, staticTokens } from '../../src/index.js';
import { event, eventsOfTest, PATH } from './events-api.js';
import { raw, serve, type RawClient } from './support.js';

const CONNECTIONS = 500;
/**
 * Responses of the flood that may come between another caller's request and its response; without fair scheduling a
 * hundred do.
 */
const FEW = 50;
const ROUNDS = 30;
const PATIENCE_MS = 20_000;

const get = (token: string, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const post = (token: string, name: string): string => {
  const body = JSON.stringify(event(name));
  return `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

/** A server, and how many responses it has for each token. */
async function api(): Promise<{ readonly port: number; readonly answered: (token: string) => number }> {
  const authenticate = staticTokens({
    flood: { name: 'flood' },
    polite: { name: 'polite' },
    root: { name: 'root', groups: ['system:masters'] },
  });
  const parts = { authenticate, authorize: allowAuthenticated() };
  const { events } = eventsOfTest(parts);
  const health = createHealth(parts);
  const server = createApiServer({ ...parts, health, events });
  onTestFinished(() => health.close());
  const responses = new Map<string, number>();
  const { port } = await serve(async (request) => {
    const response = await server.handle(request);
    const token = String(request.headers?.['authorization']).slice('Bearer '.length);
    responses.set(token, (responses.get(token) ?? 0) + 1);
    return response;
  });
  return { port, answered: (token) => responses.get(token) ?? 0 };
}

/** A client that sends the next request as soon as it has its response, on every connection, until the test ends. */
async function flood(port: number, request: () => string): Promise<void> {
  const clients = Array.from({ length: CONNECTIONS }, () => raw(port));
  await Promise.all(clients.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
  for (const { socket } of clients) {
    socket.on('data', (chunk: string) => {
      if (chunk.includes('HTTP/1.1 ')) socket.write(request());
    });
    socket.write(request());
  }
}

/** Responses of one keep-alive connection, one after the other. */
async function answerTo({ socket }: RawClient, request: string): Promise<number> {
  const response = new Promise<string>((resolve) => socket.once('data', resolve));
  socket.write(request);
  return Number((await response).slice(9, 12));
}

const floods = [
  ['gets', 'flood', () => get('flood', `${PATH}/seed`)],
  ['creates', 'flood', counted((index) => post('flood', `flood-${index}`))],
  ['lists', 'flood', () => get('flood', `${PATH}?limit=20`)],
  ['gets of a member of system:masters', 'root', () => get('root', `${PATH}/seed`)],
  ['refused credentials', 'wrong', () => get('wrong', `${PATH}/seed`)],
  ['refused timeouts', 'flood', () => get('flood', `${PATH}/seed?timeout=soon`)],
  ['probes', 'flood', () => get('flood', '/readyz')],
  ['paths that do not exist', 'flood', () => get('flood', '/nothing')],
] as const;

function counted(make: (index: number) => string): () => string {
  let index = 0;
  return () => make((index += 1));
}

describe('500 connections that send without limit', () => {
  test.each(floods)(
    'do not delay other callers with %s',
    async (_what, caller, request) => {
      const { port, answered } = await api();
      const polite = raw(port);
      expect(await answerTo(polite, post('polite', 'seed'))).toBe(201);
      await flood(port, request);
      await expect.poll(() => answered(caller), { timeout: PATIENCE_MS }).toBeGreaterThan(CONNECTIONS);
      const between: number[] = [];
      const statuses: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const asked of [get('polite', `${PATH}/seed`), post('polite', `polite-${round}`)]) {
          const before = answered(caller);
          statuses.push(await answerTo(polite, asked));
          between.push(answered(caller) - before);
        }
      }
      expect(new Set(statuses)).toEqual(new Set([200, 201]));
      between.sort((a, b) => a - b);
      expect(between[Math.floor(between.length / 2)]).toBeLessThan(FEW);
      // The flood is still served.
      const now = answered(caller);
      await expect.poll(() => answered(caller), { timeout: PATIENCE_MS }).toBeGreaterThan(now);
    },
    60_000,
  );
});
