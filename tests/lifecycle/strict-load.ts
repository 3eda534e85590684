import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../random/random.js';
import { testSeed } from '../random/seed.js';

/** What clients do at random, the same again with the same seed. */
const random = createRandom(testSeed());

/** The results of clients that follow HTTP strictly. */
export interface StrictLoad {
  /** Requests that were sent and not answered completely, with what became of them. */
  readonly resets: readonly string[];
  readonly answers: () => number;
  /** How many answers had Connection: close. */
  readonly farewells: () => number;
  /** Resolves when every client has had its first answer. */
  readonly warm: Promise<unknown>;
  /** Resolves when no client gets a connection any more. */
  readonly ended: Promise<unknown>;
}

/** Where the clients go. */
export interface Target {
  readonly port: number;
  readonly secure: boolean;
}

const REQUEST = 'GET /spare HTTP/1.1\r\nHost: a\r\n\r\n';

/**
 * Starts clients of every kind that send requests until a connection is refused: without a pause, with pauses in which
 * the connection is idle, with a connection for each request, and with one that is opened long before its first
 * request. Only requests count: a connection that is refused, or reset before a request was sent, is no failure.
 */
export function strictLoad(target: Target): StrictLoad {
  const resets: string[] = [];
  let answers = 0;
  let farewells = 0;

  /** False when the connection is refused. */
  const ask = async (path: string, agent: Agent | false): Promise<boolean> => {
    const options = { host: '127.0.0.1', port: target.port, path, agent, rejectUnauthorized: false };
    const request = (target.secure ? httpsRequest : httpRequest)(options);
    request.end();
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      if (response.headers.connection === 'close') farewells++;
      let length = 0;
      for await (const chunk of response) length += (chunk as Uint8Array).length;
      if (!response.complete || length === 0) resets.push(`${path}: incomplete`);
      answers++;
      return true;
    } catch (error) {
      const { syscall } = error as NodeJS.ErrnoException;
      if (syscall !== 'connect') resets.push(`${path}: ${String(error)}`);
      return syscall !== 'connect';
    }
  };
  const keepAlive = async (path: string, thinkMs: number): Promise<void> => {
    const agent = target.secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
    await ask(path, agent);
    arrived();
    while (await ask(path, agent)) if (thinkMs > 0) await pause(thinkMs * (0.5 + random.fraction()));
    agent.destroy();
  };
  /** A connection for each request. */
  const fresh = async (): Promise<void> => {
    await ask('/fresh', false);
    arrived();
    while (await ask('/fresh', false));
  };
  /** Connects, waits, sends one request, and begins again. */
  const spare = async (waitMs: number): Promise<void> => {
    while (await askLate(target, waitMs, resets));
  };
  let waiting = 26;
  let arrived!: () => void;
  const warm = new Promise<void>((resolve) => {
    arrived = () => void ((waiting -= 1) === 0 && resolve());
  });
  const ended = Promise.all([
    ...Array.from({ length: 6 }, () => keepAlive('/busy', 0)),
    ...Array.from({ length: 4 }, () => keepAlive('/slow', 0)),
    ...Array.from({ length: 12 }, (_, index) => keepAlive('/idle', 10 * (index + 1))),
    ...Array.from({ length: 4 }, () => fresh()),
    ...Array.from({ length: 6 }, (_, index) => spare(150 * (index + 1))),
  ]);
  return { resets, answers: () => answers, farewells: () => farewells, warm, ended };
}

async function askLate({ port, secure }: Target, waitMs: number, resets: string[]): Promise<boolean> {
  const socket: Socket = secure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  let received = '';
  let failure: unknown;
  socket.setEncoding('latin1').on('data', (data: string) => (received += data));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', (error) => (failure = error));
  const connected = await Promise.race([
    once(socket, secure ? 'secureConnect' : 'connect').then(
      () => true,
      () => false,
    ),
    closed.then(() => false),
  ]);
  if (!connected) {
    await closed;
    return false;
  }
  await pause(waitMs);
  socket.write(REQUEST);
  const answered = (): boolean => received.includes('answered') || received.endsWith('please try again later.\n');
  while (!answered() && !socket.destroyed) await Promise.race([once(socket, 'data'), closed]).catch(() => undefined);
  if (!answered()) resets.push(`/spare: ${String(failure ?? 'ended')}`);
  socket.destroy();
  return true;
}
