import express from 'express';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toNodeListener } from '../../src/node.js';
import { fakeClock } from '../../src/testing.js';
import { event, eventsOfTest, PATH, serveWithHono } from './events-api.js';
import { feedHandler, gate, get, listen, raw, serve, text, whole } from './support.js';

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((done) => setImmediate(done));
};

describe('pipelined requests of one connection', () => {
  test('are handled one after the other, in order', async () => {
    const log: string[] = [];
    const { port } = await serve(async (request) => {
      log.push(`begin ${request.url}`);
      await turns(request.url === '/1' ? 10 : 1);
      log.push(`end ${request.url}`);
      return text(`<${request.url}>`);
    });
    const client = raw(port);
    client.send(GET('/1') + GET('/2') + GET('/3'));
    await client.until('</3>');
    expect(log).toEqual(['begin /1', 'end /1', 'begin /2', 'end /2', 'begin /3', 'end /3']);
  });

  test('start when the stream before them has ended', async () => {
    const feeds = feedHandler();
    let handled = 0;
    const { port } = await serve((request) => {
      if (request.url === '/stream') return feeds.handler(request);
      handled++;
      return text('<plain>');
    });
    const client = raw(port);
    client.send(GET('/stream') + GET('/plain'));
    const source = await feeds.at(0);
    source.push('one');
    await client.until('one');
    await turns(5);
    expect(handled).toBe(0);
    source.end();
    await client.until('<plain>');
    expect(handled).toBe(1);
  });

  test('see the effects of the requests before them: create, get, delete, get', async () => {
    const { events } = eventsOfTest();
    const { port } = await serve(events.handle);
    const body = JSON.stringify(event('a'));
    const post = `POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const get = GET(`${PATH}/a`);
    const remove = get.replace('GET', 'DELETE');
    const client = raw(port);
    client.send(post + get + remove + get + GET('/apis').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    const statuses = (await client.closed).match(/(?<=HTTP\/1\.1 )\d+/g);
    expect(statuses).toEqual(['201', '200', '200', '404', '200']);
  });

  test('hold one place in flight, however many there are', async () => {
    const { events, create } = eventsOfTest({ limits: { reads: 2, readsPerCaller: 2 } });
    for (let index = 0; index < 200; index++) await create(`e${index}`, 'x'.repeat(100_000));
    const { port } = await serve(events.handle);
    const client = raw(port);
    client.socket.pause();
    client.send(GET(PATH).repeat(450));
    await turns(50);
    for (let round = 0; round < 20; round++) {
      const response = await get(port, `${PATH}/e0`);
      expect(response.statusCode).toBe(200);
      response.resume();
    }
  });

  test('are not handled when the client has disconnected first', async () => {
    const go = gate();
    const asked = gate();
    let handled = 0;
    const { server, port, errors } = await serve(async () => {
      handled++;
      asked.open();
      await go.promise;
      return text('x');
    });
    const client = raw(port);
    const accepted = once(server, 'connection');
    client.send(GET('/1') + GET('/2') + GET('/3'));
    await asked.promise;
    const [socket] = (await accepted) as [NodeJS.EventEmitter];
    const gone = once(socket, 'close');
    client.socket.destroy();
    await gone;
    go.open();
    await turns(5);
    expect(handled).toBe(1);
    expect(errors).toEqual([]);
  });

  test('end behind Hono, which handles them all at once, when the client disconnects', async () => {
    const feeds = feedHandler();
    const { port } = await serveWithHono(feeds.handler);
    const client = raw(port);
    client.send(GET('/watch').repeat(20));
    await feeds.at(19);
    client.socket.destroy();
    await Promise.all(feeds.feeds.map(({ aborted }) => aborted));
  });

  test('that wait behind Hono share one listener on the signal of their connection', async () => {
    const feeds = feedHandler();
    const { port } = await serveWithHono(feeds.handler);
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const client = raw(port);
    client.send(Array.from({ length: 30 }, (_, index) => GET(`/${index}`)).join(''));
    const last = await feeds.at(29);
    client.socket.destroy();
    await last.aborted;
    expect(warn).not.toHaveBeenCalled();
  });

  test('are read ahead a few at a time', async () => {
    const clock = fakeClock();
    const go = gate();
    const { server, port } = await serve(
      async (request) => {
        if (request.url === '/0') await go.promise;
        return text(`<${request.url}>`);
      },
      { clock },
    );
    let read = 0;
    server.on('request', () => void read++);
    const client = raw(port);
    client.socket.setNoDelay(true);
    for (let index = 0; index < 100; index++) {
      client.send(GET(`/${index}${'x'.repeat(8_000)}`.replace(/^(\/0)x+$/, '$1')));
      await turns(1);
    }
    await turns(50);
    // All requests in one read of the socket are parsed at once: there may be a few more.
    expect(read).toBeLessThan(20);
    const before = read;
    clock.advance(1_000);
    await vi.waitFor(() => expect(read).toBeGreaterThan(before), { interval: 1 });
    await turns(20);
    expect(read).toBeLessThan(before + 20);
    go.open();
    await client.until(`</99${'x'.repeat(8_000)}>`);
    expect(read).toBe(100);
  });

  test('beyond the thousandth are not handled, and the connection ends with its response', async () => {
    const go = gate();
    let handled = 0;
    const { port } = await serve(async () => {
      handled++;
      await go.promise;
      return text('.');
    });
    const client = raw(port);
    client.send('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(1_500));
    await turns(50);
    go.open();
    const responses = (await client.closed).split('HTTP/1.1 200 OK').slice(1);
    expect(handled).toBe(1_001);
    expect(responses).toHaveLength(1_001);
    expect(responses.findIndex((response) => /connection: close/i.test(response))).toBe(1_000);
  });

  test('keep their order with the routes of an Express service between them', async () => {
    const service = express();
    const ours = toNodeListener(async (request) => {
      if (!request.url.startsWith('/ours')) return undefined;
      await turns(5);
      return text(`<${request.url}>`);
    });
    service.use(ours);
    service.get(/^\/own/, (req, res) => void setImmediate(() => res.send(`<${req.url}>`)));
    const { port } = await listen(service as unknown as RequestListener);
    const client = raw(port);
    client.send(['/own1', '/ours2', '/own3', '/ours4', '/ours5', '/own6', '/own7', '/ours8'].map(GET).join(''));
    const received = await client.until('</ours8>');
    expect(received.match(/\/(?:own|ours)\d(?=>)/g)).toEqual([
      '/own1',
      '/ours2',
      '/own3',
      '/ours4',
      '/ours5',
      '/own6',
      '/own7',
      '/ours8',
    ]);
  });

  test('do not slow down a connection that is read', async () => {
    const { port } = await serve(async () => {
      await turns(2);
      return text('.');
    });
    const client = raw(port);
    client.send(GET('/').repeat(50));
    await vi.waitFor(() => expect(client.received().split('HTTP/1.1 200').length).toBe(51), { interval: 1 });
    client.send(GET('/'));
    await vi.waitFor(() => expect(client.received().split('HTTP/1.1 200').length).toBe(52), { interval: 1 });
    expect(await whole(await get(port, '/'))).toBe('.');
  });
});
