import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  allowAnonymous,
  allowRules,
  createApiServer,
  createEvents,
  createHealth,
  createImpersonation,
  firstAuthenticator,
  memoryStore,
  staticTokens,
} from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { sampleEvent } from '../../src/testing/sample-event.js';

/** A server that the recorded exchanges can be replayed against. */
export interface CorpusServer {
  readonly base: string;
  close(): Promise<void>;
}

const GROUP = 'events.k8s.io';

/** The users of `corpus/tokens.csv` and the rights of `corpus/policy.jsonl`. */
const access = {
  authenticate: firstAuthenticator(
    staticTokens(
      new Map([
        ['admin-token', { name: 'admin', uid: '1', groups: ['system:masters'] }],
        ['viewer-token', { name: 'viewer', uid: '2' }],
        ['jane-token', { name: 'jane', uid: '3' }],
      ]),
    ),
    allowAnonymous(),
  ),
  authorize: allowRules([
    { groups: ['system:masters'], verbs: ['*'], resources: ['*'], paths: ['*'] },
    {
      groups: ['system:authenticated', 'system:unauthenticated'],
      verbs: ['get'],
      paths: ['/healthz', '/livez', '/readyz', '/version'],
    },
    { users: ['viewer'], verbs: ['get', 'list', 'watch'], resources: ['events'] },
  ]),
};

/**
 * Health, events and the paths around them over a memory store, on a port of its own for each scenario: some exchanges
 * expect a list's revision to be that of its newest event, which another scenario's write would raise.
 */
export async function corpusServer(): Promise<CorpusServer> {
  // Some exchanges request revision 999999999999 as one that lies in the future.
  const store = memoryStore({ startAt: 1 });
  // Sorted after the namespaces of all scenarios, so that a page of one event over all namespaces is not the last.
  const elsewhere = { namespace: 'elsewhere', name: 'one' };
  await store.create(elsewhere, sampleEvent(elsewhere), { expiresAt: Number.MAX_SAFE_INTEGER });
  const health = createHealth({ ...access, impersonation: createImpersonation, roots: 'authorized', auditIds: true });
  const events = createEvents({
    ...access,
    impersonation: true,
    apiDomain: 'k8s.io',
    coreV1: true,
    managedFields: true,
    store,
    maxBodyBytes: 3 * 1024 * 1024,
  });
  const api = createApiServer({
    ...access,
    impersonation: true,
    health,
    events,
    extraPaths: ['/api', '/api/v1', '/apis', `/apis/${GROUP}`, `/apis/${GROUP}/v1`, '/openapi/v2', '/openapi/v3'],
  });
  const closing = new AbortController();
  const server = createServer(toNodeListener(api.handle, { signal: closing.signal }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    async close() {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      health.close();
      await events.close();
      await store.close();
    },
  };
}
