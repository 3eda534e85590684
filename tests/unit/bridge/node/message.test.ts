import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import {
  destroyWhenReset,
  directSocket,
  keepWhenReset,
  type NodeIncoming,
  type NodeOutgoing,
} from '../../../../src/bridge/node/message.js';
import { Incoming } from './hand-made.js';

/** A request over HTTP/2, and its stream. */
function overHttp2(aborted = false) {
  const stream = Object.assign(new EventEmitter(), { aborted, close: () => undefined, destroy: vi.fn() });
  return { stream, req: Object.assign(new Incoming(), { stream }) as unknown as NodeIncoming };
}

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

test('a stream of HTTP/2 that the client resets is destroyed once the listeners of the event have run', async () => {
  const { stream, req } = overHttp2();
  destroyWhenReset(req);
  await nextTick();
  expect(stream.destroy).not.toHaveBeenCalled();
  stream.emit('aborted');
  expect(stream.destroy).not.toHaveBeenCalled();
  await nextTick();
  expect(stream.destroy.mock.contexts).toEqual([stream]);
});

test('a stream of HTTP/2 that the client has reset before is destroyed at once', () => {
  const { stream, req } = overHttp2(true);
  destroyWhenReset(req);
  expect(stream.destroy.mock.contexts).toEqual([stream]);
});

test('a stream of HTTP/2 is left to the service once its request has been passed on', async () => {
  const { stream, req } = overHttp2();
  destroyWhenReset(req);
  keepWhenReset(req);
  stream.emit('aborted');
  await nextTick();
  expect(stream.destroy).not.toHaveBeenCalled();
});

test('a request of HTTP/1 has no stream, and is left as it is', () => {
  const req = new Incoming() as unknown as NodeIncoming;
  expect(() => {
    destroyWhenReset(req);
    keepWhenReset(req);
  }).not.toThrow();
});

test.each([
  ['whose turn it is', {}, {}, true],
  [
    'behind bytes of earlier responses, which the socket holds as well',
    { writableLength: 5 },
    { writableLength: 5 },
    true,
  ],
  ['that holds bytes back from the socket', {}, { writableLength: 5 }, false],
  ['whose connection takes no more', { writable: false }, {}, false],
  ['that waits behind another', { _httpMessage: {} }, {}, false],
  ['without a connection', undefined, {}, false],
])('only a response of HTTP/1 is written to its socket directly %s', (_, ofSocket, ofResponse, isDirect) => {
  const res = { writableLength: 0, ...ofResponse };
  const socket = ofSocket && { writable: true, writableLength: 0, _httpMessage: res, ...ofSocket };
  expect(directSocket(Object.assign(res, { socket: socket ?? null }) as unknown as NodeOutgoing)).toBe(
    isDirect ? socket : undefined,
  );
});
