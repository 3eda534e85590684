import { getEventListeners, once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nextTurn } from '../../src/clock/clock.js';
import { httpTransport, isConnectionError, isStatusError, isUnauthorized, watchEvents } from '../../src/client.js';
import { toNodeListener } from '../../src/node.js';
import { fakeClock } from '../../src/testing.js';
import {
  respond,
  clientOf,
  clientOver,
  closedLater,
  failureOf,
  folderOfTest,
  local,
  STORED,
} from './client-support.js';
import { event, eventsOfTest } from './events-api.js';
import { listen } from './support.js';

describe('a client over HTTP', () => {
  test('creates, gets, lists, watches and deletes as it does in-process', async () => {
    const { events } = eventsOfTest();
    const { client } = await clientOf(toNodeListener(events.handle));
    const created = await client.create(event('a') as never);
    expect(await client.get({ name: 'a' })).toEqual(created);
    for (const name of ['b', 'c']) await client.create(event(name) as never);
    const names = (await client.list({ pageSize: 2 }).toArray()).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['a', 'b', 'c']);
    const seen: string[] = [];
    for await (const { type, object } of client.watch({ sendInitialEvents: true })) {
      seen.push(`${type} ${object.metadata.name}`);
      if (type === 'BOOKMARK') await client.delete({ name: 'b' });
      if (type === 'DELETED') break;
    }
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'BOOKMARK undefined', 'DELETED b']);
  });

  test('keeps the path of the server address in front of that of the API', async () => {
    let url: string | undefined;
    const { port } = await clientOf((request, response) => {
      url = request.url;
      respond(response, 200, STORED);
    });
    const transport = closedLater(httpTransport({ server: local(port, '/clusters/c1/') }));
    await clientOver(transport).get({ name: 'a' });
    expect(url).toBe('/clusters/c1/apis/events.example.com/v1/namespaces/default/events/a');
  });

  test('reuses connections', async () => {
    let connections = 0;
    const { client, server } = await clientOf((_request, response) => respond(response, 200, STORED));
    server.on('connection', () => connections++);
    for (let index = 0; index < 20; index++) await client.get({ name: 'a' });
    // The next request may come before undici has noticed that the last one is complete: it then takes a second
    // connection.
    expect(connections).toBeLessThanOrEqual(2);
  });

  test('closes an idle connection after keepAliveMs, although the server announces more', async () => {
    const { client, server } = await clientOf(
      (_request, response) => respond(response, 200, STORED, { 'keep-alive': 'timeout=60' }),
      { keepAliveMs: 200 },
    );
    server.keepAliveTimeout = 60_000;
    const ended = new Promise((closed) => server.on('connection', (socket) => socket.once('close', closed)));
    await client.get({ name: 'a' });
    expect(await Promise.race([ended.then(() => 'closed'), delay(5_000, 'open')])).toBe('closed');
  });

  test('has no more connections than maxConnections allows', async () => {
    let connections = 0;
    const { client, server } = await clientOf(
      (_request, response) => void setTimeout(() => respond(response, 200, STORED), 5),
      { maxConnections: 3 },
    );
    server.on('connection', () => connections++);
    await Promise.all(Array.from({ length: 30 }, () => client.get({ name: 'a' })));
    expect(connections).toBe(3);
  });

  test('reports of a refused connection that nothing was sent', async () => {
    const { server, port } = await listen(() => undefined);
    server.close();
    const transport = closedLater(httpTransport({ server: local(port) }));
    const error = await failureOf(clientOver(transport).create(event('a') as never));
    expect(error).toSatisfy(isConnectionError);
    expect(error).toMatchObject({ sent: false });
  });

  test('reports of a name that cannot be resolved that nothing was sent', async () => {
    const transport = closedLater(httpTransport({ server: 'http://nowhere.invalid' }));
    expect(await failureOf(clientOver(transport).create(event('a') as never))).toMatchObject({ sent: false });
  });

  test('reports that nothing was sent when no connection was made in time', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // The server accepts connections, and never responds to the TLS handshake.
    const transport = closedLater(httpTransport({ server: `https://127.0.0.1:${port}`, connectTimeoutMs: 100 }));
    const error = await failureOf(clientOver(transport).create(event('a') as never));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
  });

  test('reports that a request may have been carried out when its connection is reset', async () => {
    const { client } = await clientOf((request) => request.socket.destroy());
    const error = await failureOf(client.patch({ name: 'a' }, { type: 'merge', patch: {} }));
    expect(error).toSatisfy(isConnectionError);
    expect(error).toMatchObject({ sent: true });
  });

  test('fails when the connection is reset in the middle of a response', async () => {
    const { client } = await clientOf((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"kind":"Event",');
      setTimeout(() => request.socket.destroy(), 10);
    });
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'ConnectionError', sent: true });
  });

  test('fails when a response has fewer bytes than its Content-Length', async () => {
    const { client } = await clientOf((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{}');
      setTimeout(() => request.socket.destroy(), 10);
    });
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'ConnectionError', sent: true });
  });

  test('ends a waiting request, and its connection, when the signal is aborted', async () => {
    const closed: Promise<unknown>[] = [];
    const { client } = await clientOf((request) => void closed.push(once(request.socket, 'close')));
    const controller = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 20);
    expect(await failureOf(client.get({ name: 'a' }, { signal: controller.signal }))).toBe(reason);
    await closed[0];
  });

  test('ends a request that waits for a connection when its signal is aborted', async () => {
    let asked = 0;
    const held: ServerResponse[] = [];
    const { client } = await clientOf((_request, response) => void (asked++, held.push(response)), {
      maxConnections: 1,
    });
    const first = client.get({ name: 'a' });
    while (held.length === 0) await delay(1);
    const reason = new Error('enough');
    expect(await failureOf(client.get({ name: 'a' }, { signal: abortIn(20, reason) }))).toBe(reason);
    respond(held[0] as ServerResponse, 200, STORED);
    await first;
    const third = client.get({ name: 'a' });
    while (held.length === 1) await delay(1);
    respond(held[1] as ServerResponse, 200, STORED);
    await third;
    expect(asked).toBe(2);
  });

  test('opens no connection for calls that were aborted while they waited for one', async () => {
    let connections = 0;
    const held: ServerResponse[] = [];
    const listener = (_request: unknown, response: ServerResponse): void => void held.push(response);
    const { client, server } = await clientOf(listener, { maxConnections: 1 });
    server.on('connection', () => connections++);
    const first = client.get({ name: 'a' });
    while (held.length === 0) await delay(1);
    const reason = new Error('enough');
    const stopping = new AbortController();
    const gone = Array.from({ length: 5 }, () => failureOf(client.get({ name: 'a' }, { signal: stopping.signal })));
    const second = client.get({ name: 'a' });
    await delay(20);
    stopping.abort(reason);
    expect(await Promise.all(gone)).toEqual(Array.from({ length: 5 }, () => reason));
    respond(held[0] as ServerResponse, 200, STORED);
    await first;
    while (held.length === 1) await delay(1);
    respond(held[1] as ServerResponse, 200, STORED);
    await second;
    expect(connections).toBe(1);
  });

  test('ends calls that wait for a connection when the transport is closed', async () => {
    const { client, server, transport } = await clientOf(() => undefined, { maxConnections: 1 });
    const failed = Array.from({ length: 3 }, () => failureOf(client.get({ name: 'a' })));
    await once(server, 'request');
    await transport.close();
    const [first, ...others] = await Promise.all(failed);
    expect(first).toMatchObject({ name: 'ConnectionError', sent: true });
    for (const error of others) expect(error).toMatchObject({ message: 'the transport is closed', sent: false });
  });

  test('adds one listener to a signal, however many requests have it', async () => {
    const waiting: ServerResponse[] = [];
    const { transport } = await clientOf((_, response) => void waiting.push(response));
    const { signal } = new AbortController();
    const request = { method: 'GET', url: '/version', headers: {}, signal };
    const responses = Array.from({ length: 20 }, async () => transport.handle(request));
    while (waiting.length < 20) await delay(1);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (const response of waiting) respond(response, 200, STORED);
    await Promise.all(responses);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('ends calls that wait for their token when the transport is closed', async () => {
    let asked = 0;
    const token = (): Promise<string> => {
      asked++;
      return new Promise(() => undefined);
    };
    const { client, transport } = await clientOf(() => undefined, { token });
    const failed = failureOf(client.get({ name: 'a' }));
    while (asked === 0) await delay(1);
    await transport.close();
    expect(await failed).toMatchObject({ message: 'the transport is closed', sent: false });
  });

  test('fails when there is no response within timeoutMs', async () => {
    const clock = fakeClock();
    const { client, server, port } = await clientOf(() => undefined, {}, { clock });
    const failed = failureOf(client.get({ name: 'a' }, { timeoutMs: 30 }));
    await once(server, 'request');
    clock.advance(30);
    const message = `there was no response from ${local(port)} within 30 ms`;
    expect(await failed).toMatchObject({ name: 'ConnectionError', message, sent: true });
  });

  test('says that a request was not sent within timeoutMs, because watches hold all connections', async () => {
    const clock = fakeClock();
    const { client, server, port } = await clientOf(() => undefined, { maxConnections: 1 }, { clock });
    const watch = client.watch()[Symbol.asyncIterator]();
    const first = failureOf(watch.next());
    await once(server, 'request');
    const failed = failureOf(client.get({ name: 'a' }));
    await nextTurn();
    clock.advance(5_000);
    expect(await failed).toMatchObject({
      name: 'ConnectionError',
      message:
        `the request was not sent within 5000 ms: all connections to 127.0.0.1:${port} are in use, ` +
        'of which each watch holds one: raise maxConnections of the transport (1)',
      sent: false,
    });
    const message = `there was no response from ${local(port)} within 5000 ms`;
    expect(await first).toMatchObject({ message, sent: true });
  });

  test('says that a request was not sent within timeoutMs, because its credentials did not come', async () => {
    const clock = fakeClock();
    const token = (): Promise<string> => new Promise(() => undefined);
    const { client, port } = await clientOf(() => undefined, { token }, { clock });
    const failed = failureOf(client.get({ name: 'a' }));
    await nextTurn();
    clock.advance(5_000);
    const message = `the request was not sent within 5000 ms: the credentials for 127.0.0.1:${port} are still awaited`;
    expect(await failed).toMatchObject({ name: 'ConnectionError', message, sent: false });
  });

  test('says that a request was not sent within timeoutMs, because the server was not reached', async () => {
    const clock = fakeClock();
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const transport = closedLater(httpTransport({ server: `https://127.0.0.1:${port}` }));
    const client = clientOver(transport, { clock });
    const failed = failureOf(client.get({ name: 'a' }));
    await once(server, 'connection');
    clock.advance(5_000);
    const message = `the request was not sent within 5000 ms: 127.0.0.1:${port} is not reached yet`;
    expect(await failed).toMatchObject({ name: 'ConnectionError', message, sent: false });
  });

  test('ends requests under way when the transport is closed, and sends no more', async () => {
    const { client, server, transport } = await clientOf(() => undefined);
    const failed = failureOf(client.get({ name: 'a' }));
    await once(server, 'request');
    await transport.close();
    await transport.close();
    expect(await failed).toMatchObject({ name: 'ConnectionError', sent: true });
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({
      message: 'the transport is closed',
      sent: false,
    });
  });
});

describe('a watch over HTTP', () => {
  test('is not repeated for ever after its transport was closed', async () => {
    const { events } = eventsOfTest();
    const { client, transport } = await clientOf(toNodeListener(events.handle));
    const changes = watchEvents({ client, since: 'now', observe: () => undefined });
    const failed = failureOf(changes.next());
    await delay(100);
    const started = performance.now();
    await transport.close();
    expect(await failed).toMatchObject({ name: 'ConnectionError', message: 'the transport is closed' });
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test('leaves the server unread while its reader is slow', async () => {
    let written = 0;
    const frame = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', annotations: { a: 'x'.repeat(10_000) } } } })}\n`;
    const { client } = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const write = (): void => {
        while (!response.destroyed && response.write(frame)) written += frame.length;
        written += frame.length;
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    const frames = client.watch()[Symbol.asyncIterator]();
    await frames.next();
    let before = -1;
    while (written !== before) {
      before = written;
      await delay(100);
    }
    // The buffers of both sockets; a client that read on would get all of it.
    expect(written).toBeLessThan(20_000_000);
    for (let index = 0; index < 5_000; index++) await frames.next();
    expect(written).toBeGreaterThan(before);
    await frames.return?.();
  });

  test('ends its connection when it is left, also while it waits', async () => {
    const closed: Promise<unknown>[] = [];
    const { client } = await clientOf((request, response) => {
      closed.push(once(request.socket, 'close'));
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    });
    const frames = client.watch()[Symbol.asyncIterator]();
    const next = frames.next();
    await delay(30);
    await frames.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    await closed[0];
  });

  test('rejects with the reason of its signal', async () => {
    const { client } = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    });
    const reason = new Error('enough');
    const frames = client.watch({ signal: abortIn(30, reason) })[Symbol.asyncIterator]();
    expect(await failureOf(frames.next())).toBe(reason);
  });

  test('distinguishes a stream that was cut in the middle of a frame from one that ended', async () => {
    const frame = JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    const { client, port } = await clientOf((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(request.url?.includes('cut') ? `${frame}\n${frame.slice(0, 20)}` : `${frame}\n`);
    });
    const seen: unknown[] = [];
    for await (const { type } of client.watch()) seen.push(type);
    expect(seen).toEqual(['ADDED']);
    const frames = client.watch({ fieldSelector: 'cut' })[Symbol.asyncIterator]();
    await frames.next();
    expect(await failureOf(frames.next())).toMatchObject({
      name: 'ConnectionError',
      message: `the watch from ${local(port)} ended in the middle of a frame`,
    });
  });
});

describe('the credentials of a transport', () => {
  test('are those of a token, of a function, of basic authentication and of impersonation', async () => {
    const seen: unknown[] = [];
    const { port } = await clientOf((request, response) => {
      const { authorization, ...others } = request.headers;
      seen.push([authorization, Object.fromEntries(Object.entries(others).filter(([key]) => /^imp/.test(key)))]);
      respond(response, 200, STORED);
    });
    let calls = 0;
    const impersonate = {
      name: 'jane',
      groups: ['ops', 'dev'],
      uid: 'u-1',
      extra: { 'Example.com/Scope': ['all'], 'a(b)': ['x', 'y'] },
    };
    for (const options of [
      { token: 'secret' },
      { token: () => `secret-${++calls}` },
      { basicAuth: { username: 'jane', password: 'pä:ss' } },
      { token: 'secret', impersonate: { name: 'jane' } },
      { token: 'secret', impersonate },
    ]) {
      await clientOver(closedLater(httpTransport({ server: local(port), ...options }))).get({ name: 'a' });
    }
    expect(seen).toEqual([
      ['Bearer secret', {}],
      ['Bearer secret-1', {}],
      [`Basic ${Buffer.from('jane:pä:ss').toString('base64')}`, {}],
      ['Bearer secret', { 'impersonate-user': 'jane' }],
      [
        'Bearer secret',
        {
          'impersonate-user': 'jane',
          'impersonate-uid': 'u-1',
          'impersonate-group': 'ops, dev',
          'impersonate-extra-example.com%2fscope': 'all',
          'impersonate-extra-a%28b%29': 'x, y',
        },
      ],
    ]);
  });

  test('are refused before a request where a header cannot carry the user who is impersonated', () => {
    const faulty = {
      name: 'a\r\nx-more: y',
      uid: '',
      groups: 'admins',
      extra: { scope: ['a\u0000'] },
      group: ['a'],
    };
    const create = (impersonate: unknown) => () =>
      httpTransport({ server: local(1), impersonate: impersonate as { name: string } });
    expect(create(faulty)).toThrow(
      new TypeError(
        'httpTransport: impersonate.name must be a non-empty string without control characters; ' +
          'impersonate.uid must be a non-empty string without control characters; ' +
          'impersonate.groups must be a list of non-empty strings without control characters; ' +
          'impersonate.extra must be an object of lists of strings without control characters; ' +
          'there is no option "impersonate.group" (did you mean "impersonate.groups"?)',
      ),
    );
    for (const wrong of [
      null,
      'jane',
      {},
      { name: '\ud800' },
      { name: 'a', groups: [1] },
      { name: 'a', groups: ['a\n'] },
      { name: 'a', extra: { scope: 'all' } },
      { name: 'a', extra: { '': [] } },
      { name: 'a', extra: { '\ud800': [] } },
    ]) {
      expect(create(wrong)).toThrow(/^httpTransport: impersonate/);
    }
    expect(create({ name: 'a', uid: undefined, groups: [], extra: { scope: [''] } })).not.toThrow();
  });

  test('are read again from a token file a minute later', async () => {
    const clock = fakeClock();
    const tokenFile = join(folderOfTest(), 'token');
    writeFileSync(tokenFile, 'first\n');
    const seen: unknown[] = [];
    const { client } = await clientOf(
      (request, response) => {
        seen.push(request.headers.authorization);
        respond(response, 200, STORED);
      },
      { tokenFile, clock },
    );
    await client.get({ name: 'a' });
    writeFileSync(`${tokenFile}.new`, 'second\n');
    renameSync(`${tokenFile}.new`, tokenFile);
    clock.advance(59_000);
    await client.get({ name: 'a' });
    clock.advance(1_000);
    await client.get({ name: 'a' });
    renameSync(tokenFile, `${tokenFile}.gone`);
    clock.advance(60_000);
    await client.get({ name: 'a' });
    expect(seen).toEqual(['Bearer first', 'Bearer first', 'Bearer second', 'Bearer second']);
  });

  test('are read again after a 401, and the request is sent once more', async () => {
    const clock = fakeClock();
    const tokenFile = join(folderOfTest(), 'token');
    writeFileSync(tokenFile, 'old');
    const seen: unknown[] = [];
    let valid = 'Bearer old';
    const { client } = await clientOf(
      (request, response) => {
        seen.push(request.headers.authorization);
        const isValid = request.headers.authorization === valid;
        respond(
          response,
          isValid ? 200 : 401,
          isValid ? STORED : { kind: 'Status', reason: 'Unauthorized', code: 401 },
        );
      },
      { tokenFile, clock },
    );
    await client.get({ name: 'a' });
    valid = 'Bearer new';
    // The file is not read again this soon.
    expect(await failureOf(client.create(event('a') as never))).toSatisfy(isUnauthorized);
    writeFileSync(tokenFile, 'new');
    clock.advance(2_000);
    expect(await client.create(event('a') as never)).toMatchObject(STORED);
    valid = 'Bearer newest';
    writeFileSync(tokenFile, 'newest');
    clock.advance(2_000);
    expect(await client.create(event('a') as never)).toMatchObject(STORED);
    expect(seen).toEqual([...['old', 'old', 'new', 'new', 'newest'].map((token) => `Bearer ${token}`)]);
  });

  test('are not taken from a token file while it has something else', async () => {
    const clock = fakeClock();
    const tokenFile = join(folderOfTest(), 'token');
    writeFileSync(tokenFile, '# a comment');
    const { client } = await clientOf(
      (request, response) => {
        const isValid = request.headers.authorization === 'Bearer valid';
        respond(
          response,
          isValid ? 200 : 401,
          isValid ? STORED : { kind: 'Status', reason: 'Unauthorized', code: 401 },
        );
      },
      { tokenFile, clock },
    );
    const early = await failureOf(client.get({ name: 'a' }));
    expect(early).toSatisfy(isConnectionError);
    expect(early).toMatchObject({
      sent: false,
      message: 'the token file cannot be read: the token must be a non-empty string without spaces',
    });
    writeFileSync(tokenFile, 'valid');
    await client.get({ name: 'a' });
    writeFileSync(tokenFile, '# a comment');
    clock.advance(60_000);
    await client.get({ name: 'a' });
    writeFileSync(tokenFile, 'expired');
    clock.advance(60_000);
    expect(await failureOf(client.get({ name: 'a' }))).toSatisfy(isUnauthorized);
    writeFileSync(tokenFile, '# a comment');
    clock.advance(1_000);
    expect(await failureOf(client.get({ name: 'a' }))).toSatisfy(isUnauthorized);
    writeFileSync(tokenFile, 'valid');
    clock.advance(1_000);
    await client.get({ name: 'a' });
  });

  test('are asked of a function again when it has failed, as nothing was sent', async () => {
    const seen: unknown[] = [];
    const failure = new Error('getaddrinfo EAI_AGAIN sts.example.com');
    const answers = [() => Promise.reject(failure), () => 'not a token', () => 'token'];
    const { client } = await clientOf(
      (request, response) => void (seen.push(request.headers.authorization), respond(response, 200, STORED)),
      { token: () => (answers.shift() as () => string | Promise<string>)() },
    );
    const failed = await failureOf(client.create(event('a') as never));
    expect(failed).toMatchObject({ name: 'ConnectionError', sent: false, cause: failure });
    expect(failed.message).toBe('there is no token: getaddrinfo EAI_AGAIN sts.example.com');
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'ConnectionError', sent: false });
    await client.get({ name: 'a' });
    expect(seen).toEqual(['Bearer token']);
  });

  test('appear in no error', async () => {
    const folder = folderOfTest();
    const { port } = await clientOf((request) => request.socket.destroy());
    const errors: unknown[] = [];
    for (const options of [
      { token: 'top-secret' },
      { token: () => 'top secret' },
      { basicAuth: { username: 'top-secret', password: 'top-secret' } },
      { tokenFile: join(folder, 'absent') },
      { token: 'top-secret', server: 'http://127.0.0.1:1' },
    ]) {
      const transport = closedLater(httpTransport({ server: local(port), ...options }));
      errors.push(await failureOf(clientOver(transport).get({ name: 'a' })));
    }
    for (const server of ['http://top-secret@127.0.0.1', 'top-secret']) {
      try {
        httpTransport({ server, token: 'top secret', headers: { 'x-key': 'top\nsecret' } });
      } catch (error) {
        errors.push(error);
      }
    }
    expect(errors).toHaveLength(7);
    const texts = errors.map((error) => `${String(error)} ${(error as Error).stack} ${String((error as Error).cause)}`);
    expect(texts.filter((text) => /top.?secret/.test(text))).toEqual([]);
  });
});

describe('a redirect', () => {
  test('is a StatusError, and nothing is sent to its location', async () => {
    let asked = 0;
    const other = await listen((_request, response) => void (asked++, respond(response, 200, STORED)));
    const { client } = await clientOf(
      (_request, response) => void response.writeHead(307, { location: local(other.port, '/apis') }).end(),
      { token: 'secret' },
    );
    const error = await failureOf(client.get({ name: 'a' }));
    expect(error).toSatisfy(isStatusError);
    expect(error).toMatchObject({ code: 307 });
    expect(asked).toBe(0);
  });
});

function abortIn(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}
