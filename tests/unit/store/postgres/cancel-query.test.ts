import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cancelQuery } from '../../../../src/store/postgres/cancel-query.js';

/** Starts a server and returns its port. */
async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer(onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const clientOf = (remotePort: number, key: object = { processID: 7, secretKey: -2 }) => ({
  ...key,
  connection: { stream: { remoteAddress: '127.0.0.1', remotePort } },
});

test('a CancelRequest goes to the other end of the connection, and is awaited until the server has closed', async () => {
  const received: Buffer[] = [];
  let closed = false;
  const port = await listening((socket) => {
    socket.on('data', (data) => {
      received.push(data);
      setImmediate(() => {
        closed = true;
        socket.end();
      });
    });
  });
  await cancelQuery(clientOf(port));
  expect(closed).toBe(true);
  expect(Buffer.concat(received).toString('hex')).toBe('0000001004d2162e00000007fffffffe');
});

test('a server that does not respond is not awaited for long', async () => {
  const sockets: Socket[] = [];
  const port = await listening((socket) => void sockets.push(socket));
  const begun = performance.now();
  await cancelQuery(clientOf(port));
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(sockets).toHaveLength(1);
});

test('a server that has ended is not an error', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await cancelQuery(clientOf(port));
});

test.each([
  ['no key', { processID: 7 }],
  ['a key of another kind', { processID: 7, secretKey: new Uint8Array(32) }],
])('a connection with %s is not cancelled', async (_, key) => {
  let connections = 0;
  const port = await listening(() => void (connections += 1));
  await cancelQuery(clientOf(port, key));
  expect(connections).toBe(0);
});

test('a connection with an unknown peer is not cancelled', async () => {
  await cancelQuery({ processID: 7, secretKey: 1, host: 'db.example.com', port: 5432 });
});
