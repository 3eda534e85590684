import { expect, test, vi } from 'vitest';
import { Incoming, serve, settled } from './hand-made.js';

/** A request whose body is in more pieces than a connection may have read in one turn of the event loop. */
async function inManyPieces(more: object) {
  const req = Object.assign(new Incoming(), more);
  const pause = vi.fn();
  Object.assign(req.socket, { pause, resume: () => undefined });
  const read: string[] = [];
  serve(async ({ body }) => {
    read.push(Buffer.from((await body?.(10_000)) ?? '').toString());
    return { status: 200, headers: {}, body: '' };
  }, req);
  for (let index = 0; index < 2_000; index++) req.emit('data', Buffer.from('a'));
  req.emit('end');
  await settled();
  expect(read).toEqual(['a'.repeat(2_000)]);
  return pause.mock.calls.length > 0;
}

test('a connection whose body is in many pieces is paused over HTTP/1, and never over HTTP/2', async () => {
  expect(await inManyPieces({})).toBe(true);
  expect(await inManyPieces({ stream: { close: () => undefined, once: () => undefined } })).toBe(false);
});
