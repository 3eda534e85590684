import express from 'express';
import express4 from 'express4';
import type { RequestListener } from 'node:http';
import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { readBody } from '../../src/http/body.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener, type NodeListener } from '../../src/node.js';
import { eventsOfTest } from './events-api.js';
import { feedHandler, get, listen, raw, text, whole } from './support.js';

const echo: ApiHandler = async (request) => {
  if (!request.url.startsWith('/apis/')) return undefined;
  if (request.method === 'GET') return text(request.url);
  return text(`<${Buffer.from(await readBody(request, 1_000)).toString()}>`);
};

async function send(
  port: number,
  method: string,
  body: string | undefined,
  type = 'application/json',
): Promise<string> {
  const headers = body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  const request = httpRequest({ host: '127.0.0.1', port, path: '/apis/x', method, headers, agent: false });
  request.end(body);
  return whole((await once(request, 'response'))[0] as AsyncIterable<Uint8Array>);
}

const app = (build: (app: express.Express) => void): ReturnType<typeof listen> => {
  const made = express();
  build(made);
  return listen(made as unknown as RequestListener);
};

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('discovery in %s', (_, make) => {
  const PATHS = ['/api', '/api/', '/apis', '/openapi/v2', '/openapi/v3'];
  const own: express.RequestHandler = (req, res) => void res.send(`own ${req.path}`);
  const serve = (discovery: boolean | undefined, build: (app: express.Express, vitals: NodeListener) => void) => {
    const { events } = eventsOfTest({ authenticate: () => undefined, ...(discovery !== undefined && { discovery }) });
    const service = make();
    build(service, toNodeListener(events.handle));
    return listen(service as unknown as RequestListener);
  };
  const statuses = async (port: number): Promise<unknown[]> =>
    Promise.all(PATHS.map(async (path) => (await get(port, path)).statusCode));

  test.each([
    ['before', true],
    ['after', false],
  ])("is left to the service's own routes, also when the listener is mounted %s them", async (_title, before) => {
    const { port } = await serve(undefined, (service, vitals) => {
      if (before) service.use(vitals);
      service.get(PATHS, own);
      service.post(PATHS, own);
      if (!before) service.use(vitals);
    });
    for (const path of PATHS) expect(await whole(await get(port, path))).toBe(`own ${path}`);
    expect(await whole(await get(port, '/api', { method: 'POST' }))).toBe('own /api');
    expect((await get(port, '/apis/events.example.com')).statusCode).toBe(401);
    expect((await get(port, '/openapi/v3/apis/events.example.com/v1')).statusCode).toBe(401);
  });

  test('is a 404 of the service where it has no such routes', async () => {
    const { port } = await serve(undefined, (service, vitals) => void service.use(vitals));
    expect(await statuses(port)).toEqual([404, 404, 404, 404, 404]);
  });

  test('is served by the listener with discovery: true, and where it is given no next', async () => {
    const always = await serve(true, (service, vitals) => void service.use(vitals).get(PATHS, own));
    expect(await statuses(always.port)).toEqual([401, 401, 401, 401, 401]);
    const last = await serve(undefined, (service, vitals) => {
      service.get('/api', own);
      service.use((req, res) => vitals(req, res));
    });
    expect(await statuses(last.port)).toEqual([200, 200, 401, 401, 401]);
  });

  test('is served by a listener that is the whole server', async () => {
    const { events } = eventsOfTest();
    const { port } = await listen(toNodeListener(events.handle));
    expect(await statuses(port)).toEqual([200, 200, 200, 200, 200]);
  });
});

describe('inside Express', () => {
  test('paths of other handlers are left to the routes of the service', async () => {
    const { port } = await app((service) => {
      service.use(toNodeListener(echo));
      service.get('/own', (_, res) => void res.send('own'));
    });
    expect(await whole(await get(port, '/own'))).toBe('own');
    expect(await whole(await get(port, '/apis/x?y'))).toBe('/apis/x?y');
  });

  test('a listener mounted under a path of its own handler sees the path that the client sent', async () => {
    const { port } = await app((service) => void service.use('/apis', toNodeListener(echo)));
    expect(await whole(await get(port, '/apis/x'))).toBe('/apis/x');
  });

  test('a listener mounted under a path serves what is below it, without basePath', async () => {
    const { port } = await app((service) => {
      const ours = toNodeListener(echo);
      service.use('/ops', ours);
      service.use('/deep', express.Router().use('/er', ours));
      service.get('/ops/own', (_, res) => void res.send('own'));
    });
    expect(await whole(await get(port, '/ops/apis/x?a=1'))).toBe('/apis/x?a=1');
    expect(await whole(await get(port, '/deep/er/apis/x'))).toBe('/apis/x');
    expect(await whole(await get(port, '/ops/own'))).toBe('own');
    expect((await get(port, '/ops')).statusCode).toBe(404);
    expect((await get(port, '/apis/x')).statusCode).toBe(404);
  });

  test('basePath removes the prefix under which the listener is mounted', async () => {
    const { port } = await app(
      (service) => void service.use('/internal', toNodeListener(echo, { basePath: '/internal' })),
    );
    expect(await whole(await get(port, '/internal/apis/x?a=1'))).toBe('/apis/x?a=1');
    expect((await get(port, '/internal/else')).statusCode).toBe(404);
    expect((await get(port, '/apis/x')).statusCode).toBe(404);
  });

  test.each([
    ['express.json', express.json()],
    ['express.raw', express.raw({ type: '*/*' })],
    ['express.text', express.text({ type: '*/*' })],
  ])('a body that %s has read is used', async (_, parser) => {
    const { port } = await app((service) => void service.use(parser).use(toNodeListener(echo)));
    expect(await send(port, 'POST', '{"a":1}')).toBe('<{"a":1}>');
    expect(await send(port, 'DELETE', undefined)).toBe('<>');
    expect(await send(port, 'DELETE', '')).toBe('<>');
  });

  test('a parser that sets {} for an empty body does not invent a body', async () => {
    const { port } = await app((service) => void service.use(express.json()).use(toNodeListener(echo)));
    const client = raw(port);
    client.send('DELETE /apis/x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n');
    await client.until('<>');
  });

  test('express.json does not hide a body of another type', async () => {
    const { port } = await app((service) => void service.use(express.json()).use(toNodeListener(echo)));
    expect(await send(port, 'PATCH', '[1]', 'application/json-patch+json')).toBe('<[1]>');
  });

  test('the raw bytes are preferred where a parser keeps them', async () => {
    const keep = express.json({
      verify: (req, _res, bytes) => void Object.assign(req, { rawBody: bytes }),
    });
    const { port } = await app((service) => void service.use(keep).use(toNodeListener(echo)));
    expect(await send(port, 'POST', '{ "a": 1, "a": 2 }')).toBe('<{ "a": 1, "a": 2 }>');
  });

  test('the limit applies to parsed bodies as well', async () => {
    const { port } = await app((service) => void service.use(express.json()).use(toNodeListener(echo)));
    expect(await send(port, 'POST', JSON.stringify('x'.repeat(999)).replaceAll('"x', '["x').concat(']'))).toBe(
      'Request entity too large\n',
    );
  });

  test('nesting that cannot be serialized again is refused, not an internal error', async () => {
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
    const { port } = await app((service) => void service.use(express.json()).use(toNodeListener(echo)));
    expect(await send(port, 'POST', deep)).toBe('Request entity too large\n');
  });

  test('a body that was read and discarded is reported to the service, and does not hang', async () => {
    const errors: unknown[] = [];
    const { port } = await app((service) => {
      service.use((req, _res, next) => {
        req.resume().on('end', () => next());
      });
      service.use(toNodeListener(echo, { onError: (error) => void errors.push(error) }));
    });
    expect(await send(port, 'POST', '{}')).toBe('Internal Server Error\n');
    expect(errors).toEqual([expect.objectContaining({ name: 'TypeError' })]);
    expect(String(errors[0])).toMatch(/req\.rawBody or req\.body/);
  });

  test('streams end when the client disconnects', async () => {
    const { handler, at } = feedHandler();
    const { port } = await app((service) => void service.use(express.json()).use(toNodeListener(handler)));
    const client = raw(port);
    client.send('GET /watch HTTP/1.1\r\nHost: a\r\n\r\n');
    const source = await at(0);
    source.push('one');
    await client.until('one');
    client.socket.destroy();
    await source.aborted;
    await source.returned;
  });

  test('middleware that replaces write and keeps chunks receives copies, and its flush is called', async () => {
    const chunk = Buffer.alloc(3);
    async function* source(): AsyncGenerator<Uint8Array> {
      for (const letter of 'abcdef') {
        chunk.fill(letter);
        yield await Promise.resolve(chunk);
      }
    }
    let flushes = 0;
    const { port } = await app((service) => {
      service.use((_req, res, next) => {
        const kept: Uint8Array[] = [];
        const end = res.end.bind(res);
        res.write = ((part: Uint8Array) => {
          kept.push(part);
          if (kept.length % 2 === 1) return true;
          setImmediate(() => res.emit('drain'));
          return false;
        }) as typeof res.write;
        res.end = (() => end(Buffer.concat(kept))) as typeof res.end;
        Object.assign(res, { flush: () => void flushes++ });
        next();
      });
      service.use(toNodeListener(() => ({ status: 200, headers: {}, body: source() })));
    });
    expect(await whole(await get(port, '/'))).toBe('aaabbbcccdddeeefff');
    expect(flushes).toBe(6);
  });
});
