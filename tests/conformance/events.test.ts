import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowRules, createEvents, memoryStore, staticTokens, type Events } from '../../src/index.js';
import { bench, EVENT_CHECKS } from './event-checks.js';
import { TRANSPORTS, type Transport } from './transport.js';

function events(): Events {
  const read = ['get', 'list', 'watch'];
  const rules = allowRules([
    { users: ['admin'], verbs: ['*'] },
    { users: ['admin'], verbs: ['*'], paths: ['*'] },
    { users: ['viewer'], verbs: read },
    { users: ['updater'], verbs: [...read, 'update'] },
  ]);
  return createEvents({
    apiDomain: 'example.com',
    store: memoryStore(),
    // The limit of Kubernetes; the default here is lower.
    maxBodyBytes: 3_145_728,
    authenticate: staticTokens({
      'admin-token': { name: 'admin' },
      'viewer-token': { name: 'viewer' },
      'updater-token': { name: 'updater' },
      'jane-token': { name: 'jane' },
    }),
    authorize: rules,
  });
}

describe('the list of checks', () => {
  it('has a different id for each', () => {
    expect(new Set(EVENT_CHECKS.map((check) => check.id)).size).toBe(EVENT_CHECKS.length);
  });
});

describe.each(TRANSPORTS.map((connect) => [connect.name, connect] as const))(
  'the event endpoints, %s,',
  (_, connect) => {
    let api: Events;
    let transport: Transport;
    beforeAll(async () => {
      api = events();
      transport = await connect(api.handle);
    });
    afterAll(async () => {
      await transport.close();
      await api.close();
    });
    it.each(EVENT_CHECKS.map((check) => [`${check.id} ${check.level}: ${check.title}`, check] as const))(
      'fulfil the check %s',
      async (_title, check) => {
        await check.run(bench(transport, `ns-${check.id.toLowerCase()}`));
      },
    );
  },
);
