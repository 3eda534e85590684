import { expect, it } from 'vitest';
import type { ApiHandler } from '../../../src/http/handler.js';
import { createApiServer, type ApiServer } from '../../../src/server/create-api-server.js';

const ok = { status: 200, headers: { 'audit-id': '1', 'cache-control': 'no-store' }, body: 'ok' };

const serverFor = (handle: ApiHandler): ApiServer =>
  createApiServer({
    health: { handle },
    events: { handle: () => undefined },
    authenticate: () => undefined,
    authorize: () => ({ allowed: false }),
  });

it('passes all requests until it drains', async () => {
  const server = serverFor(() => ok);
  expect(await server.handle({ method: 'GET', url: '/x' })).toBe(ok);
  server.startDraining();
  server.startDraining();
  expect(await server.handle({ method: 'GET', url: '/x' })).toMatchObject({ status: 503 });
});

it.each(['/readyz', '/livez/ping', '/healthz?verbose', '/metrics', '/metrics/slis'])(
  'still passes %s while it drains',
  async (url) => {
    const server = serverFor(() => ok);
    server.startDraining();
    expect(await server.handle({ method: 'GET', url })).toBe(ok);
  },
);

it('still passes other API servers', async () => {
  const server = serverFor(() => ok);
  server.startDraining();
  const headers = { 'user-agent': 'kube-apiserver/v1.36' };
  expect(await server.handle({ method: 'GET', url: '/x', headers })).toBe(ok);
});

it('does not affect requests in flight', async () => {
  let finish: (() => void) | undefined;
  const inside = new Promise<typeof ok>((resolve) => {
    finish = () => resolve(ok);
  });
  const server = serverFor(() => inside);
  const response = server.handle({ method: 'GET', url: '/x' });
  server.startDraining();
  finish?.();
  expect(await response).toBe(ok);
});
