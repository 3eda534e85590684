import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startStandalone, type Standalone } from '../clients/standalone.js';
import { event, PATH } from './event.js';

const FLAGS = ['--store=memory', '--event-rate-limit-source-and-object=off'];
const PROCESS_MS = 90_000;
const MIB = 1_048_576;

/** Loaded into the server: what Node says of a container of 128 MiB. */
const SMALL_CONTAINER = `
  import { syncBuiltinESMExports } from 'node:module';
  process.constrainedMemory = () => ${128 * MIB};
  syncBuiltinESMExports();`;

/** Not in `system:masters`, to which the limits do not apply. */
const AUTHORIZATION = 'Bearer secret-of-jane';

async function startInSmallContainer(): Promise<Standalone> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-vitals-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tokens = join(folder, 'tokens.csv');
  await writeFile(tokens, 'secret-of-jane,jane,1\n', { mode: 0o600 });
  const options = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `--import=data:text/javascript,${encodeURIComponent(SMALL_CONTAINER)}`;
  try {
    const server = await startStandalone(...FLAGS, '--token-auth-file', tokens);
    onTestFinished(async () => void (await server.stop()));
    return server;
  } finally {
    if (options === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = options;
  }
}

async function residentBytes({ insecureUrl }: Standalone): Promise<number> {
  const response = await fetch(`${insecureUrl}/metrics`, { headers: { authorization: AUTHORIZATION } });
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(await response.text())?.[1]);
}

/** By how much the memory of the server grows within three seconds, in MiB, while `count` requests are not completed. */
async function growth(server: Standalone, count: number, begin: (socket: Socket) => void): Promise<number> {
  const before = await residentBytes(server);
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(new URL(server.insecureUrl).port), '127.0.0.1').on('error', () => undefined);
    begin(socket.pause());
    return socket;
  });
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  let most = before;
  for (let sample = 0; sample < 12; sample++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    most = Math.max(most, await residentBytes(server));
  }
  return (most - before) / MIB;
}

const head = (method: string, ...headers: readonly string[]): string =>
  [`${method} ${PATH} HTTP/1.1`, 'host: x', `authorization: ${AUTHORIZATION}`, ...headers, '', ''].join('\r\n');

test(
  'bodies that a caller does not complete take little of the memory of a small container',
  async () => {
    const server = await startInSmallContainer();
    const part = ' '.repeat((5 * MIB) / 2);
    const grown = await growth(server, 100, (socket) => {
      socket.write(head('POST', 'content-type: application/json', `content-length: ${part.length + 1}`) + part);
    });
    expect(grown).toBeLessThan(64);
  },
  PROCESS_MS,
);

test(
  'lists that a caller does not read take little of the memory of a small container',
  async () => {
    const server = await startInSmallContainer();
    const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json' };
    for (let index = 0; index < 1_500; index++) {
      const body = JSON.stringify(event(`e${index}`, randomBytes(4_500).toString('base64')));
      expect((await fetch(server.insecureUrl + PATH, { method: 'POST', headers, body })).status).toBe(201);
    }
    const grown = await growth(server, 200, (socket) => socket.write(head('GET', 'accept-encoding: gzip')));
    expect(grown).toBeLessThan(64);
  },
  PROCESS_MS,
);
