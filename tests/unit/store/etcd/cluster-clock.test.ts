import { createServer, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { generate } from 'selfsigned';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createClusterClock } from '../../../../src/store/etcd/cluster-clock.js';
import { etcdSettings } from '../../../../src/store/etcd/options.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const NOON = Date.UTC(2026, 0, 2, 12);
const servers: (Server | TcpServer | Http2SecureServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  }
});

async function listening(server: Server | TcpServer | Http2SecureServer): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A member whose clock is off by some milliseconds. */
const member = (offByMs: number): Promise<string> =>
  listening(
    createServer((_request, response) => {
      response.setHeader('date', new Date(NOON + offByMs).toUTCString());
      response.end('{"etcdserver":"3.5.0"}');
    }),
  );

/** A member that answers in HTTP/2, as gRPC servers do, and closes connections which do not speak it. */
const grpcOnly = (): Promise<string> =>
  listening(
    createTcpServer((socket) => {
      socket.write(Buffer.from('000000040000000000', 'hex'));
      socket.on('data', () => socket.destroy());
    }),
  );

/** A TCP proxy whose member is away: it accepts connections and closes them. */
const cut = (): Promise<string> =>
  listening(createTcpServer((socket) => void socket.on('data', () => socket.destroy())));

/** An HTTP proxy whose member is away. */
const badGateway = (): Promise<string> =>
  listening(
    createServer((_request, response) => {
      response.sendDate = false;
      response.writeHead(502).end();
    }),
  );

async function absent(): Promise<string> {
  const url = await member(0);
  const server = servers.pop();
  await new Promise((resolve) => server?.close(resolve));
  return url;
}

const clockOf = (endpoints: readonly string[], timeEndpoints?: readonly string[]) => {
  const clock = fakeClock({ now: 77_000_000 });
  const time = createClusterClock(etcdSettings({ endpoints, clock, ...(timeEndpoints && { timeEndpoints }) }));
  return { clock, time };
};

test('the time is the median of the members, whatever the clock of this process is', async () => {
  const day = 86_400_000;
  const { time } = clockOf(await Promise.all([member(365 * day), member(1000), member(0)]));
  expect(await time.now()).toBe((NOON + 1500) * 1000);
});

test('the earlier of two members counts, and an unavailable one does not', async () => {
  const { time } = clockOf([await member(5000), await absent(), await member(2000)]);
  expect(await time.now()).toBe((NOON + 2500) * 1000);
});

test('a member that does not respond delays the time only a little, and another wrong clock has no effect', async () => {
  const day = 86_400_000;
  const silent = await listening(createServer(() => undefined));
  const { clock, time } = clockOf([silent, await member(day), await member(0), await member(1000)]);
  let read: number | undefined;
  void time.now().then((micros) => (read = micros));
  // Until shortly before the timeout of the silent one.
  for (let passed = 0; passed < 900 && read === undefined; passed += 10) {
    await sleep(10);
    clock.advance(10);
  }
  expect(read).toBeGreaterThanOrEqual((NOON + 1500) * 1000);
  expect(read).toBeLessThan((NOON + 2500) * 1000);
});

test('a recent response is continued with the monotonic clock for a second', async () => {
  const { clock, time } = clockOf([await member(0)]);
  expect(await time.recent()).toBe((NOON + 500) * 1000);
  clock.advance(900);
  expect(await time.recent()).toBe((NOON + 1400) * 1000);
  clock.advance(200);
  expect(await time.recent()).toBe((NOON + 500) * 1000);
});

test('unavailable members have no time, and without HTTP the clock of this process is used', async () => {
  const away = clockOf([await absent()]);
  await expect(away.time.now()).rejects.toMatchObject({ code: 'unavailable' });
  const { time } = clockOf([await grpcOnly(), await absent()]);
  expect(await time.now()).toBe(77_000_000);
});

test('a proxy whose member is away is no reason to use the clock of this process', async () => {
  for (const proxy of [await cut(), await badGateway()]) {
    const { time } = clockOf([proxy, await absent()]);
    await expect(time.now()).rejects.toMatchObject({ code: 'unavailable' });
  }
});

test('a member that refuses HTTP in the TLS handshake speaks no HTTP', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }]);
  const url = (await listening(createSecureServer({ key, cert, allowHTTP1: false }))).replace('http:', 'https:');
  const time = createClusterClock(
    etcdSettings({ endpoints: [url], clock: fakeClock({ now: 77_000_000 }), tls: { ca: cert } }),
  );
  expect(await time.now()).toBe(77_000_000);
});

test('the time is read from the endpoints in the options', async () => {
  const elsewhere = clockOf([await absent()], [await member(0)]);
  expect(await elsewhere.time.now()).toBe((NOON + 500) * 1000);
  const nowhere = clockOf([await member(0)], []);
  expect(await nowhere.time.now()).toBe(77_000_000);
});
