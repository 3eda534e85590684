import { describe, expect, it } from 'vitest';
import { createHealth } from '../../src/health/create-health.js';
import { addFixtureChecks, fixtureOptions, healthChecks, type Ask } from './health-checks.js';

const inMemory: Ask = async (method, url, init) => {
  const health = createHealth(fixtureOptions);
  addFixtureChecks(health);
  const response = await health.handle({ method, url, headers: init?.headers });
  if (response === undefined) throw new Error(`${url} was not claimed`);
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  return { status: response.status, headers, text: typeof response.body === 'string' ? response.body : '' };
};

describe('health conformance, in memory', () => {
  it.each(healthChecks)('$id $level: $title', async ({ check }) => {
    await check(inMemory);
  });

  it('has an id of its own for every statement', () => {
    expect(new Set(healthChecks.map(({ id }) => id)).size).toBe(healthChecks.length);
  });
});
