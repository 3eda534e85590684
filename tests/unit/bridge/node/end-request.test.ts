import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { endEmptyRequest } from '../../../../src/bridge/node/end-request.js';
import { toNodeListener } from '../../../../src/node.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

type Around = (req: IncomingMessage, res: ServerResponse, serve: () => void) => void;

/** Serves on one connection, and returns the requests that the server has seen. */
async function serve(around: Around = (_req, _res, go) => go()) {
  const listener = toNodeListener(async (request) => ({
    status: 200,
    headers: {},
    body: await (request.body?.(1_000) ?? ''),
  }));
  const requests: IncomingMessage[] = [];
  const closed: Promise<unknown>[] = [];
  const server = createServer((req, res) => {
    requests.push(req);
    closed.push(once(res, 'close'));
    around(req, res, () => listener(req, res));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const ask = async (text: string): Promise<void> => {
    socket.write(text);
    await once(socket, 'data');
    await closed.at(-1);
  };
  return { ask, requests, socket };
}

const GET = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody';

type Parsed = Socket & { parser?: { incoming: unknown } };

describe('the request of a response in one piece', () => {
  it('is ended and closed as soon as the response is, without events', async () => {
    const events: unknown[] = [];
    const { ask, requests } = await serve((req, _res, go) => {
      const emit = req.emit.bind(req) as (event: string, ...values: unknown[]) => boolean;
      req.emit = (event: string, ...values: unknown[]) => (events.push(event), emit(event, ...values));
      go();
    });
    for (let i = 0; i < 2; i++) await ask(GET);
    for (const req of requests) {
      expect(req).toMatchObject({ readableEnded: true, destroyed: true, closed: true, complete: true, aborted: false });
      expect(req.errored).toBeNull();
      expect((req.socket as Parsed).parser?.incoming).toBeNull();
    }
    expect(events).not.toContain('end');
    expect(events).not.toContain('close');
  });

  it('is over for code that waits for its end afterwards', async () => {
    const { ask, requests } = await serve();
    await ask(GET);
    await finished(requests[0] as IncomingMessage);
  });

  it.each<[string, Around]>([
    ['before', (req, _res, go) => (void req.on('close', () => req.emit('seen')), go())],
    ['after', (req, _res, go) => (go(), void req.on('close', () => req.emit('seen')))],
  ])('emits its events to a listener that was added %s it was handled', async (_, around) => {
    let seen: Promise<unknown> | undefined;
    const { ask } = await serve((req, res, go) => {
      around(req, res, go);
      seen = once(req, 'seen');
    });
    await ask(GET);
    await seen;
  });

  it('keeps the events of a body', async () => {
    const events: string[] = [];
    const { ask } = await serve((req, _res, go) => {
      for (const event of ['end', 'close']) req.on(event, () => events.push(event));
      go();
    });
    await ask(POST);
    await ask(GET);
    expect(events).toEqual(['end', 'close', 'end', 'close']);
  });

  it('is not aborted by a client that leaves afterwards', async () => {
    const { ask, requests, socket } = await serve();
    await ask(GET);
    socket.destroy();
    await once((requests[0] as IncomingMessage).socket, 'close');
    expect(requests[0]).toMatchObject({ aborted: false, errored: null });
  });
});

it.each<[string, boolean, (req: IncomingMessage) => void]>([
  ['that has ended without a body', true, (req) => void req.push(null)],
  ['whose end has not been read yet', false, () => undefined],
  ['with a body that nobody has read', false, (req) => void (req.push('body') && req.push(null))],
])('a request is marked as read, or not: one %s', (_, isMarked, receive) => {
  const req = Object.assign(new IncomingMessage(new Socket()), { complete: true });
  receive(req);
  endEmptyRequest(req);
  expect([req.destroyed, req.readableEnded]).toEqual([isMarked, isMarked]);
});
