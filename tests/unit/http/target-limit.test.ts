import { expect, test } from 'vitest';
import { staticTokens } from '../../../src/auth/static-tokens.js';
import { createEvents } from '../../../src/events/create-events.js';
import { createHealth } from '../../../src/health/create-health.js';
import { firstOf } from '../../../src/http/handler.js';
import { isTargetTooLarge } from '../../../src/http/url.js';
import { createApiServer } from '../../../src/server/create-api-server.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { call } from '../../../src/testing/call.js';

test('a target has at most 65,536 characters and 1,024 parameters', () => {
  expect(isTargetTooLarge(`/${'x'.repeat(65_535)}`)).toBe(false);
  expect(isTargetTooLarge(`/${'x'.repeat(65_536)}`)).toBe(true);
  expect(isTargetTooLarge(`/?${'a&'.repeat(1_023)}`)).toBe(false);
  expect(isTargetTooLarge(`/?${'a&'.repeat(1_024)}`)).toBe(true);
});

const hooks = { authenticate: staticTokens({ secret: { name: 'ann' } }), authorize: () => ({ allowed: true }) };

test.each([
  '/readyz',
  '/livez/ping',
  '/apis/events.example.com/v1/namespaces/default/events',
  '/api/v1/namespaces/default/events/x',
  '/openapi/v3',
  '/elsewhere',
])('%s with a longer target gets 431 for every caller, and is not read', async (path) => {
  const health = createHealth(hooks);
  const events = createEvents({ apiDomain: 'example.com', coreV1: true, store: memoryStore(), ...hooks });
  const server = createApiServer({ health, events, ...hooks });
  const targets = [`${path}?exclude=${'&exclude=a'.repeat(2_000)}`, `${path}?timeout=${'1h'.repeat(40_000)}`];
  // A path of that length is another one, unless it begins as ours do.
  if (!path.startsWith('/api/')) targets.push(`${path}/${'%ff/'.repeat(20_000)}`);
  for (const target of targets) {
    const response = await call(server.handle, `GET ${target}`);
    expect(response.status).toBe(431);
    expect(await response.text()).toBe('431 Request Header Fields Too Large\n');
    expect(response.headers).toMatchObject({
      'cache-control': 'no-cache, private',
      'audit-id': expect.any(String) as string,
    });
  }
  await events.close();
});

test('foreign paths are left to the service, however long they are', async () => {
  const events = createEvents({ apiDomain: 'example.com', store: memoryStore(), ...hooks });
  const handle = firstOf(createHealth(hooks).handle, events.handle);
  expect(handle({ method: 'GET', url: `/mine?${'a&'.repeat(40_000)}` })).toBeUndefined();
  expect(handle({ method: 'GET', url: `/mine/${'%ff'.repeat(40_000)}` })).toBeUndefined();
  await events.close();
});
