import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '../random/random.js';
import { testSeed } from '../random/seed.js';
import { event } from './event.js';
import { startHttp2Clients } from './strict-http2.js';

/** What clients do at random, the same again with the same seed. */
const random = createRandom(testSeed());

/** What became of the requests of clients that follow HTTP strictly. */
export interface Outcome {
  /** Requests that were sent and got no complete response, with their outcome. */
  readonly resets: string[];
  /** The names of the events whose creation got a 201. */
  readonly created: string[];
  /** The statuses of the other responses to requests that create an event. */
  readonly refused: number[];
  responses: number;
  /** How many responses had Connection: close, or how many sessions got GOAWAY. */
  farewells: number;
}

/** The clients that {@link strictLoad} has started. */
export interface StrictLoad {
  readonly outcome: Outcome;
  /** Resolves when every client has had its first response, and more than {@link ENOUGH} requests and events theirs. */
  readonly warm: Promise<unknown>;
  /** Resolves when no client gets a connection any more. */
  readonly ended: Promise<unknown>;
}

/** Where the clients go. */
export interface Target {
  readonly port: number;
  readonly secure: boolean;
  /** Whether the clients use HTTP/2 with prior knowledge, without TLS. Default: HTTP/1.1. */
  readonly http2?: boolean | undefined;
  /** The path to which some clients post events. Default: none do. */
  readonly events?: string | undefined;
}

/** One request of a client, and the function that takes down its response. */
export interface Asked {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Takes down a complete response. */
  answered(status: number | undefined): void;
  /** Takes down that there was no complete response. */
  lost(reason: string): void;
}

/** Makes requests. Those to the path of the events create one each. */
export type Ask = (path: string) => Asked;

/** What clients of one kind are given. */
export interface ClientContext {
  readonly target: Target;
  readonly outcome: Outcome;
  readonly ask: Ask;
  /** A time around this one, in milliseconds. */
  readonly around: (ms: number) => number;
  /** Starts a client, which calls back with its first response. */
  readonly start: (client: (arrived: () => void) => Promise<void>) => Promise<void>;
}

/** A test needs more responses, and more created events, than this. */
export const ENOUGH = 20;

const REQUEST = 'GET /spare HTTP/1.1\r\nHost: a\r\n\r\n';

/**
 * Starts clients of every kind that send requests until a connection is refused. Only requests count: a connection that
 * is refused, or reset before a request was sent, is no failure.
 */
export function strictLoad(target: Target): StrictLoad {
  const outcome: Outcome = { resets: [], created: [], refused: [], responses: 0, farewells: 0 };
  let waiting = 0;
  let becomeWarm!: () => void;
  const warm = new Promise<void>((resolve) => (becomeWarm = resolve));
  const check = (): void => {
    const counts = [outcome.responses, target.events === undefined ? Infinity : outcome.created.length];
    if (waiting === 0 && Math.min(...counts) > ENOUGH) becomeWarm();
  };
  let posted = 0;
  const ask: Ask = (path) => {
    const creates = path === target.events;
    const name = creates ? `event-${(posted += 1)}` : '';
    return {
      path,
      method: creates ? 'POST' : 'GET',
      headers: creates ? { 'content-type': 'application/json' } : {},
      body: creates ? JSON.stringify(event(name)) : undefined,
      answered(status = 0): void {
        outcome.responses++;
        if (creates && status === 201) outcome.created.push(name);
        else if (creates) outcome.refused.push(status);
        check();
      },
      lost: (reason) => void outcome.resets.push(`${path}: ${reason}`),
    };
  };
  const start: ClientContext['start'] = (client) => {
    waiting += 1;
    return client(() => {
      waiting -= 1;
      check();
    });
  };
  const around = (ms: number): number => ms * (0.5 + random.fraction());
  const context = { target, outcome, ask, around, start };
  const clients = target.http2 === true ? startHttp2Clients(context) : startHttp1Clients(context);
  return { outcome, warm, ended: Promise.all(clients) };
}

/**
 * Starts clients that send requests without a pause, with pauses in which the connection is idle, with a connection for
 * each request, and on a connection that is opened long before its first request.
 */
function startHttp1Clients({ target, outcome, ask, around, start }: ClientContext): readonly Promise<void>[] {
  /** False when the connection is refused. */
  const send = async (path: string, agent: Agent | false): Promise<boolean> => {
    const { method, headers, body, answered, lost } = ask(path);
    const options = { host: '127.0.0.1', port: target.port, path, method, headers, agent, rejectUnauthorized: false };
    const request = (target.secure ? httpsRequest : httpRequest)(options);
    request.end(body);
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      if (response.headers.connection === 'close') outcome.farewells++;
      let length = 0;
      for await (const chunk of response) length += (chunk as Uint8Array).length;
      if (!response.complete || length === 0) lost('incomplete');
      answered(response.statusCode);
      return true;
    } catch (error) {
      const { syscall } = error as NodeJS.ErrnoException;
      if (syscall !== 'connect') lost(String(error));
      return syscall !== 'connect';
    }
  };
  const keepAlive = (path: string, thinkMs: number): Promise<void> =>
    start(async (arrived) => {
      const agent = target.secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
      await send(path, agent);
      arrived();
      while (await send(path, agent)) if (thinkMs > 0) await pause(around(thinkMs));
      agent.destroy();
    });
  /** A connection for each request. */
  const fresh = (path: string): Promise<void> =>
    start(async (arrived) => {
      await send(path, false);
      arrived();
      while (await send(path, false));
    });
  /** Connects, waits, sends one request, and begins again. */
  const spare = async (waitMs: number): Promise<void> => {
    while (await askLate(target, waitMs, outcome.resets));
  };
  const { events } = target;
  const posting =
    events === undefined
      ? []
      : [
          ...Array.from({ length: 3 }, () => keepAlive(events, 0)),
          ...Array.from({ length: 3 }, (_, index) => keepAlive(events, 30 * (index + 1))),
          ...Array.from({ length: 2 }, () => fresh(events)),
        ];
  return [
    ...posting,
    ...Array.from({ length: 6 }, () => keepAlive('/busy', 0)),
    ...Array.from({ length: 4 }, () => keepAlive('/slow', 0)),
    ...Array.from({ length: 12 }, (_, index) => keepAlive('/idle', 10 * (index + 1))),
    ...Array.from({ length: 4 }, () => fresh('/fresh')),
    ...Array.from({ length: 6 }, (_, index) => spare(150 * (index + 1))),
  ];
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
  // Nothing was sent: the server stopped listening before it had accepted this connection.
  if (failure !== undefined) return true;
  socket.write(REQUEST);
  const answered = (): boolean => received.includes('answered') || received.endsWith('please try again later.\n');
  while (!answered() && !socket.destroyed) await Promise.race([once(socket, 'data'), closed]).catch(() => undefined);
  if (!answered()) resets.push(`/spare: ${String(failure ?? 'ended')}`);
  socket.destroy();
  return true;
}
