import { once } from 'node:events';
import { Agent, createServer as createHttpServer, request, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { generate } from 'selfsigned';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseCommandLine } from '../../../../src/cli/command-line/parse-command-line.js';
import { certificateInUse } from '../../../../src/cli/serve/certificate-in-use.js';
import { completeFlags, serveFlags } from '../../../../src/cli/serve/flags.js';
import { openServers, type Servers } from '../../../../src/cli/serve/servers.js';
import type { NodeListener } from '../../../../src/node.js';

/** How much faster these timeouts pass. Node measures them with a clock of its own, which no fake clock replaces. */
const FASTER = 100;
let accelerated: readonly string[] = [];
let log: string[] = [];

vi.mock('node:http', async (importOriginal) => spied(await importOriginal()));
vi.mock('node:https', async (importOriginal) => spied(await importOriginal()));

/** The module with a `createServer` that notes its calls, and divides the `accelerated` timeouts. */
function spied<M extends { readonly createServer: (...words: never) => unknown }>(module: M): M {
  const create = module.createServer as (options: object, ...more: unknown[]) => unknown;
  const faster = (options: object): object =>
    Object.fromEntries(
      Object.entries(options as Readonly<Record<string, unknown>>).map(([name, value]) => [
        name,
        accelerated.includes(name) ? (value as number) / FASTER : value,
      ]),
    );
  return { ...module, createServer: vi.fn((options: object, ...more) => create(faster(options), ...more)) };
}

const certificate = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });

beforeEach(() => {
  accelerated = [];
  log = [];
  vi.clearAllMocks();
});

/** Opens both ports on free numbers. A GET gets a response; other requests wait for ever. */
async function open(...more: string[]): Promise<Servers> {
  const words = ['--secure-port=0', '--insecure-port=0', ...more];
  const parsed = parseCommandLine(serveFlags, [], words);
  if (!('flags' in parsed)) throw new Error(JSON.stringify(parsed));
  const { cert, private: key } = certificate;
  const listener: NodeListener = ({ method }, response) => {
    if (method === 'GET') response.end('ok');
  };
  const servers = await openServers(
    completeFlags(parsed.flags),
    certificateInUse({ cert, key, ca: cert }),
    { all: listener, healthOnly: listener },
    (line) => void log.push(line),
  );
  onTestFinished(() => servers.close(0));
  return servers;
}

const made = (createServer: unknown): { readonly options: object; readonly server: Server } => {
  const { calls, results } = vi.mocked(createServer as (options: object) => Server).mock;
  const [[options] = [{}]] = calls;
  return { options, server: results[0]?.value as Server };
};

const portOf = (url = ''): number => Number(new URL(url).port);

/** What a server has sent when it closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  // Not `once`, which rejects when the server resets the connection before it is closed.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

describe('the ports of the standalone server', () => {
  it('give a client 32 s for headers and 120 s for a request, and keep an idle connection for 90 s', async () => {
    await open();
    for (const { server } of [made(createHttpServer), made(createHttpsServer)]) {
      expect(server).toMatchObject({ headersTimeout: 32_000, requestTimeout: 120_000, keepAliveTimeout: 90_000 });
    }
  });

  it('give a client 10 s for the TLS handshake', async () => {
    await open();
    expect(made(createHttpsServer).options).toMatchObject({ handshakeTimeout: 10_000 });
  });

  it('check the timeouts of requests every 5 s, and probe silent connections after 30 s', async () => {
    await open();
    for (const { options } of [made(createHttpServer), made(createHttpsServer)]) {
      expect(options).toMatchObject({
        connectionsCheckingInterval: 5_000,
        keepAlive: true,
        keepAliveInitialDelay: 30_000,
      });
    }
  });

  it('name the flag of an address that is not of this machine', async () => {
    await expect(open('--bind-address=192.0.2.1')).rejects.toThrow(
      'port 0 of 192.0.2.1 cannot be opened (--bind-address, --secure-port): listen EADDRNOTAVAIL',
    );
  });

  it('are both closed if one of them is taken', async () => {
    const taken = createTcpServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    await expect(open(`--insecure-port=${port}`)).rejects.toThrow(
      `port ${port} of 127.0.0.1 is taken; choose another with --insecure-port, or 0 for any`,
    );
    for (const { server } of [made(createHttpServer), made(createHttpsServer)]) {
      expect([server.listening, server.address()]).toEqual([false, null]);
    }
  });

  it('log closed connections once a minute, whatever happens to the wall clock', async () => {
    const elapsed = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const wall = vi.spyOn(Date, 'now');
    onTestFinished(() => void vi.restoreAllMocks());
    await open('--max-connections=2');
    const { server } = made(createHttpServer);
    const drop = (wallMs: number, elapsedMs: number): number => {
      wall.mockReturnValue(wallMs);
      elapsed.mockReturnValue(1_000_000 + elapsedMs);
      server.emit('drop');
      return log.length;
    };
    expect(drop(Date.UTC(2030, 1), 0)).toBe(1);
    expect(drop(Date.UTC(2040, 1), 59_000)).toBe(1);
    expect(drop(Date.UTC(2020, 1), 61_000)).toBe(2);
  });

  it('announce to clients how long they may reuse an idle connection', async () => {
    const { insecureUrl = '' } = await open();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const [response] = (await once(request(insecureUrl, { agent }).end(), 'response')) as [IncomingMessage];
    response.resume();
    expect(response.headers['keep-alive']).toBe('timeout=90');
  });

  it('respond with 408 to headers and bodies that do not come in time, and close the connection', async () => {
    accelerated = ['headersTimeout', 'requestTimeout', 'connectionsCheckingInterval'];
    const { insecureUrl, secureUrl } = await open();
    const sockets = (): readonly Socket[] => [
      connect(portOf(insecureUrl), '127.0.0.1'),
      connectTls({ port: portOf(secureUrl), host: '127.0.0.1', rejectUnauthorized: false }),
    ];
    const late = [
      ['POST / HTTP/1.1\r\nhost: a\r\n', 32_000],
      ['POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n1234', 120_000],
    ] as const;
    await Promise.all(
      late.flatMap(([head, leastMs]) =>
        sockets().map(async (socket) => {
          const begun = performance.now();
          socket.write(head);
          expect(await untilClosed(socket)).toMatch(/HTTP\/1\.1 408 Request Timeout\r\n/);
          expect(performance.now() - begun).toBeGreaterThan(leastMs / FASTER - 10);
        }),
      ),
    );
  });

  it('close a connection without a TLS handshake, unanswered', async () => {
    accelerated = ['handshakeTimeout'];
    const { secureUrl } = await open();
    expect(await untilClosed(connect(portOf(secureUrl), '127.0.0.1'))).toBe('');
  });
});
