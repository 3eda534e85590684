import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHealth } from '../../src/health/create-health.js';
import { addFixtureChecks, fixtureOptions, healthChecks, type Ask } from './health-checks.js';
import { TRANSPORTS, type Transport } from './transport.js';

describe('the list of checks', () => {
  it('has a different id for every statement', () => {
    expect(new Set(healthChecks.map(({ id }) => id)).size).toBe(healthChecks.length);
  });
});

describe.each(TRANSPORTS.map((connect) => [connect.name, connect] as const))(
  'the health endpoints, %s,',
  (_, connect) => {
    let transport: Transport;
    beforeAll(async () => {
      const health = createHealth(fixtureOptions);
      addFixtureChecks(health);
      transport = await connect(health.handle);
    });
    afterAll(() => transport.close());

    it.each(healthChecks)('fulfil the statement $id $level: $title', async ({ check }) => {
      const ask: Ask = (method, url, init) => transport.ask(method, url, init);
      await check(ask);
    });
  },
);
