// The floor: a bare node:http server that does the least possible work for the same bytes. No checks, no access, no history.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BASE } from '../protocol.js';
import { createRooms, listBytes, MISSING, TAKEN, type Room } from './floor-rooms.js';
import { createFanOut, type FanOut } from './floor-watch.js';
import { serveBench } from './own-process.js';

const PREFIX = `${BASE}/namespaces/`;
const rooms = createRooms(createFanOut);

function send(response: ServerResponse, status: number, bytes: Buffer): void {
  response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', String(bytes.length)]);
  response.end(bytes);
}

function sendList(response: ServerResponse, items: readonly Buffer[], next: number | undefined): void {
  send(response, 200, listBytes(rooms.revision, items, next));
}

function readText(request: IncomingMessage, then: (text: string) => void): void {
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  request.on('data', (chunk: Buffer) => {
    if (first === undefined) first = chunk;
    else (chunks ??= [first]).push(chunk);
  });
  request.on('end', () => then((chunks ? Buffer.concat(chunks) : (first ?? MISSING)).toString()));
}

const REGARDING = 'fieldSelector=regarding.name%3D';

function read({ events, watchers }: Room<FanOut>, name: string, query: string, response: ServerResponse): void {
  if (name !== '') {
    const bytes = events.get(name);
    return bytes ? send(response, 200, bytes) : send(response, 404, MISSING);
  }
  if (query.startsWith(REGARDING)) return sendList(response, events.about(query.slice(REGARDING.length)), undefined);
  if (query.startsWith('watch=')) return watchers.add(response);
  const options = new URLSearchParams(query);
  const { items, next } = events.list(Number(options.get('continue') ?? 0), Number(options.get('limit') ?? 0));
  sendList(response, items, next);
}

function write(
  room: Room<FanOut>,
  method: string | undefined,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { events } = room;
  readText(request, (text) => {
    if (method === 'POST') {
      const bytes = events.create(text);
      return bytes ? send(response, 201, bytes) : send(response, 409, TAKEN);
    }
    const bytes = method === 'PUT' ? events.replace(name, text) : events.merge(name, text);
    return bytes ? send(response, 200, bytes) : send(response, 404, MISSING);
  });
}

const OK = Buffer.from('ok');

await serveBench(
  createServer((request, response) => {
    const { url = '', method } = request;
    if (!url.startsWith(PREFIX)) {
      response.writeHead(200, ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', '2']);
      return response.end(OK);
    }
    const slash = url.indexOf('/', PREFIX.length);
    const mark = url.indexOf('?', slash);
    const end = mark === -1 ? url.length : mark;
    const room = rooms.of(url.slice(PREFIX.length, slash));
    const name = url.slice(slash + '/events/'.length, end);
    if (method === 'GET') return read(room, name, mark === -1 ? '' : url.slice(mark + 1), response);
    return write(room, method, name, request, response);
  }),
);
