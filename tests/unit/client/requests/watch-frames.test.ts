import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { framesOf } from '../../../../src/client/requests/watch-frames.js';
import { failureOf } from '../scripted-client.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* chunks(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield typeof text === 'string' ? bytes(text) : text;
}

async function all(source: AsyncIterable<Uint8Array>, maxBytes = 1_000): Promise<unknown[]> {
  const frames: unknown[] = [];
  for await (const frame of framesOf(source, maxBytes, '')) frames.push(frame);
  return frames;
}

const frame = (name: string, type = 'ADDED') => ({ type, object: { metadata: { name } } });
const line = (name: string): string => `${JSON.stringify(frame(name))}\n`;

describe('the frames of a watch', () => {
  it('are the same wherever the stream is cut', async () => {
    const names = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(names, fc.array(fc.nat(300), { maxLength: 8 }), async (given, cuts) => {
        const whole = bytes(given.map(line).join(''));
        const places = [...new Set([0, ...cuts.filter((cut) => cut < whole.length), whole.length])].sort(
          (a, b) => a - b,
        );
        const parts = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        expect(await all(chunks(...parts))).toEqual(given.map((name) => frame(name)));
      }),
    );
  });

  it('name the server in an error about what it sent', async () => {
    const frames = framesOf(chunks('{"type":"MOVED"}\n'), 1_000, ' from https://10.0.0.1:6443');
    const message = 'the watch from https://10.0.0.1:6443 sent an invalid frame: {"type":"MOVED"}';
    expect(await failureOf(frames.next())).toMatchObject({ name: 'ResponseError', message });
  });

  it('may be followed by empty lines, and the last one needs no end of line', async () => {
    expect(await all(chunks(`${line('a')}\r\n\n`, line('b').trimEnd()))).toEqual([frame('a'), frame('b')]);
    expect(await all(chunks(line('a'), ' \r'))).toEqual([frame('a')]);
  });

  it.each([new Uint8Array(16), Buffer.alloc(16)])(
    'keep nothing of a chunk whose memory is used again',
    async (memory) => {
      async function* reusing(): AsyncGenerator<Uint8Array> {
        const whole = bytes(line('a') + line('b'));
        for (let at = 0; at < whole.length; at += 16) {
          const part = whole.subarray(at, at + 16);
          memory.set(part);
          yield memory.subarray(0, part.length);
          memory.fill(0);
        }
      }
      expect(await all(reusing())).toEqual([frame('a'), frame('b')]);
    },
  );

  it.each(['name', 'namespace', 'uid', 'resourceVersion'])(
    'end with a ResponseError where the %s of an event is not a string of at most 2,048 characters',
    async (field) => {
      const object = (value: unknown) => ({ metadata: { name: 'a', [field]: value } });
      const text = (value: unknown): string => `${JSON.stringify({ type: 'ADDED', object: object(value) })}\n`;
      for (const value of [null, '', 'x'.repeat(2_048)]) {
        expect(await all(chunks(text(value)), 10_000)).toHaveLength(1);
      }
      for (const value of [7, { toString: 1 }, ['a'], true, 'x'.repeat(2_049), 'half of a pair: \ud800']) {
        expect(await failureOf(all(chunks(text(value)), 10_000))).toMatchObject({ name: 'ResponseError' });
      }
    },
  );

  it('end with a StatusError for an ERROR frame', async () => {
    const status = {
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: 'too old',
      details: { retryAfterSeconds: 2 },
    };
    const error = await failureOf(all(chunks(line('a'), `${JSON.stringify({ type: 'ERROR', object: status })}\n`)));
    expect(error).toMatchObject({
      name: 'StatusError',
      code: 410,
      reason: 'Expired',
      message: 'too old',
      retryAfterMs: 2_000,
    });
    expect(await failureOf(all(chunks('{"type":"ERROR"}\n')))).toMatchObject({ name: 'StatusError', code: 500 });
  });

  it('are a ConnectionError when the stream ends within one', async () => {
    expect(await failureOf(all(chunks(line('a'), '{"type":"ADD')))).toMatchObject({
      name: 'ConnectionError',
      sent: true,
    });
  });

  it.each([
    '[]',
    '5',
    'null',
    '<html>',
    '{"type":"NEW","object":{"metadata":{}}}',
    '{"type":"ADDED","object":{}}',
    '{"type":"ADDED"}',
  ])('are a ResponseError when they are malformed: %s', async (text) => {
    expect(await failureOf(all(chunks(`${text}\n`)))).toMatchObject({ name: 'ResponseError' });
  });

  it('have at most maxBytes, however they arrive', async () => {
    const long = line('x'.repeat(1_000));
    // Fewer characters than bytes.
    const wide = bytes(line('é'.repeat(480)));
    for (const parts of [
      [wide.subarray(0, 700), wide.subarray(700)],
      [long],
      [long.slice(0, 500), long.slice(500)],
      [line('a') + long],
      [line('a'), `${long}${line('b')}`],
    ]) {
      expect(await failureOf(all(chunks(...parts)))).toMatchObject({ name: 'ResponseError' });
    }
    expect(await all(chunks(long), 2_000)).toHaveLength(1);
    const [first, last] = [line('a'), line('x'.repeat(970))];
    const most = last.length - 1;
    expect(await all(chunks(first.repeat(50) + last), most)).toHaveLength(51);
    expect(await failureOf(all(chunks(first.repeat(50) + last), most - 1))).toMatchObject({ name: 'ResponseError' });
  });

  it('release the stream when their reader leaves', async () => {
    let returned = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield bytes(line('a'));
      } finally {
        returned = true;
      }
    }
    for await (const _ of framesOf(source(), 1_000, '')) break;
    expect(returned).toBe(true);
  });
});
