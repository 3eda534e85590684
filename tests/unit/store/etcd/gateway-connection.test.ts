import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { gatewayConnect } from '../../../../src/store/etcd/gateway-connection.js';
import { etcdSettings } from '../../../../src/store/etcd/options.js';

test('a refusal in plain text, as of etcd for a certificate with a common name, is in the message, shortened', async () => {
  const refusal = 'CommonName of client sending a request against gateway will be ignored';
  const server = createServer((_, response) => response.writeHead(400).end(`${refusal}\n${'x'.repeat(10_000)}`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [connection] = await gatewayConnect(etcdSettings({ endpoints: [endpoint], transport: 'gateway' }));
  onTestFinished(() => connection?.close());
  const refused = await connection?.range({ key: new Uint8Array(1) }, undefined).done.catch((error: unknown) => error);
  expect(refused).toMatchObject({ message: expect.stringContaining(`HTTP status 400: ${refusal}`) as string });
  expect((refused as Error).message.length).toBeLessThan(300);
});
