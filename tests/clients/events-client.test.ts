import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEventsClient, isNotFound, kubeconfigTransport, type ConnectedTransport } from '../../src/client.js';
import { startStandalone } from './standalone.js';

let server: Awaited<ReturnType<typeof startStandalone>>;
let transport: ConnectedTransport;

beforeAll(async () => {
  server = await startStandalone('--api-domain', 'example.com');
  transport = await kubeconfigTransport({ path: server.kubeconfigPath });
});
afterAll(async () => {
  await transport.close();
  await server.stop();
});

test('the client reads the kubeconfig of the standalone server, and creates, watches and deletes an event over TLS', async () => {
  const client = createEventsClient({ transport, group: 'events.example.com', namespace: 'shop' });
  const created = await client.create({
    metadata: { name: 'a' },
    eventTime: '2026-03-05T06:07:08.123456Z',
    reportingController: 'example.com/tester',
    reportingInstance: 'tester-0',
    action: 'Testing',
    reason: 'Tested',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
  });
  expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  const seen: string[] = [];
  for await (const { type, object } of client.watch({ sendInitialEvents: true })) {
    seen.push(`${type} ${object.metadata.name}`);
    if (type === 'BOOKMARK') await client.delete({ name: 'a' }, { uid: created.metadata.uid });
    if (type === 'DELETED') break;
  }
  expect(seen).toEqual(['ADDED a', 'BOOKMARK undefined', 'DELETED a']);
  await expect(client.get({ name: 'a' })).rejects.toSatisfy(isNotFound);
});
