import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { toNodeListener } from '../../../../src/node.js';
import { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Chunks as a watch gives them: without promises, and the same ones to everybody. */
function chunksOf(texts: readonly string[]): AsyncIterable<Uint8Array> {
  const chunks = texts.map((text) => new TextEncoder().encode(text));
  return new ParkedIterator({ poll: () => chunks.shift() ?? 'end', onEnd: () => undefined });
}

/** What the socket receives after the head, and what `res.write` was called with. */
async function received(
  texts: readonly string[],
  before: (res: ServerResponse) => void = () => undefined,
): Promise<string> {
  const listener = toNodeListener(() => ({ status: 200, headers: {}, body: chunksOf(texts) }));
  const server = createServer((req, res) => {
    before(res);
    listener(req, res);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const bytes of socket) text += String(bytes);
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

/** The body in the chunked transfer coding. */
const framed = (texts: readonly string[]): string =>
  [...texts, ''].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');

const TEXTS = ['one\n', 'x'.repeat(65_536), 'y'.repeat(65_537), 'z'.repeat(200_000), 'last\n'];

describe('small chunks of a watch', () => {
  it('are framed as Node frames them, in order with larger ones', async () => {
    expect(await received(TEXTS)).toBe(framed(TEXTS));
  });

  it('go to the socket in one write each', async () => {
    let writes = 0;
    await received(['one\n', 'two\n'], (res) => {
      const socket = res.socket as unknown as { write(...given: unknown[]): boolean };
      const write = socket.write.bind(socket);
      socket.write = (...given) => ((writes += 1), write(...given));
    });
    // The head, two chunks, the end.
    expect(writes).toBeLessThanOrEqual(5);
  });

  it('are copied only up to 64 KiB: a larger one is written as it is', async () => {
    const lengths: number[] = [];
    await received(['x'.repeat(65_536), 'y'.repeat(65_537)], (res) => {
      const socket = res.socket as unknown as { write(...given: unknown[]): boolean };
      const write = socket.write.bind(socket);
      socket.write = (...given) => (lengths.push((given[0] as Uint8Array).length), write(...given));
    });
    // `10000`, two line breaks.
    expect(lengths).toContain(65_536 + 9);
    expect(lengths).toContain(65_537);
  });

  it('go through a `write` that middleware or a class of the service has put in place', async () => {
    const seen: string[] = [];
    const text = await received(['one\n', 'two\n'], (res) => {
      const { write } = res;
      Object.setPrototypeOf(
        res,
        Object.create(Object.getPrototypeOf(res) as object, {
          write: {
            value(this: ServerResponse, ...given: Parameters<typeof write>) {
              seen.push(Buffer.from(given[0] as Uint8Array).toString());
              return write.apply(this, given);
            },
          },
        }) as object,
      );
    });
    expect(seen).toEqual(['one\n', 'two\n']);
    expect(text).toBe(framed(['one\n', 'two\n']));
  });
});
