import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { ABORT_REASONS } from '../../../../src/bridge/exchange/abort-reason.js';
import { FetchExchange } from '../../../../src/bridge/fetch/fetch-exchange.js';

const { 'client-left': clientLeft, 'server-closing': serverClosing } = ABORT_REASONS;

/** A request whose client can disconnect, and the number of listeners for that. */
function exchange(init: RequestInit = {}, maxBodyBytes = 1_000) {
  const client = new AbortController();
  const request = new Request('http://host/path', { signal: client.signal, ...init });
  const add = vi.spyOn(request.signal, 'addEventListener');
  const remove = vi.spyOn(request.signal, 'removeEventListener');
  // Node's own listeners, when it reads a body, are not counted.
  const signal = vi.spyOn(request, 'signal', 'get');
  const one = new FetchExchange(request, undefined, '/path', maxBodyBytes);
  return {
    ...{ client, one, request },
    listeners: () =>
      [add, remove].map(({ mock }) => mock.calls.filter(([type]) => type === 'abort').length).reduce((a, b) => a - b),
    signalReads: () => signal.mock.calls.length,
  };
}

/** The start of an upload that never ends. */
const endless = (): RequestInit =>
  ({ method: 'POST', body: new ReadableStream({ pull: () => new Promise(() => undefined) }), duplex: 'half' }) as never;

describe('a fetch request', () => {
  test('makes its headers and its signal once, when they are read', () => {
    const { listeners, one, request } = exchange({ headers: { 'X-A': '1' } });
    const forEach = vi.spyOn(request.headers, 'forEach');
    expect([one.method, one.url, forEach.mock.calls.length, listeners()]).toEqual(['GET', '/path', 0, 0]);
    expect(one.headers).toEqual({ 'x-a': '1' });
    expect(one.headers).toBe(one.headers);
    expect(one.signal).toBe(one.signal);
    expect([forEach.mock.calls.length, listeners()]).toEqual([1, 1]);
  });

  test('has no address, certificate or object of a framework but those it was given, and may have a next route', () => {
    const { one } = exchange();
    const parts = ({ remoteAddress, peerCertificate, framework, hasNext }: FetchExchange): unknown[] => [
      ...[remoteAddress, peerCertificate, framework, hasNext],
    ];
    expect(parts(one)).toEqual([undefined, undefined, undefined, true]);
    const info = {
      remoteAddress: '10.0.0.1',
      peerCertificate: { commonName: 'a', organizations: [] },
      context: {},
      hasNext: false,
    };
    const given = new FetchExchange(new Request('http://host/'), info as never, '/', 1);
    expect(parts(given)).toEqual([info.remoteAddress, info.peerCertificate, info.context, false]);
  });
});

describe('the signal of a fetch request', () => {
  test('is aborted when the client leaves, read before or after', () => {
    const before = exchange();
    const { signal } = before.one;
    expect([signal.aborted, before.one.aborted]).toEqual([false, false]);
    before.client.abort();
    expect([signal.reason, before.one.aborted]).toEqual([clientLeft, true]);
    const after = exchange();
    after.client.abort();
    expect(after.one.aborted).toBe(false);
    expect([after.one.signal.reason, after.one.aborted]).toEqual([clientLeft, true]);
  });

  test('is aborted for the first reason, whatever comes after', () => {
    const { client, one } = exchange();
    one.abort('server-closing');
    one.abort('client-left');
    expect([one.aborted, one.signal.reason]).toEqual([true, serverClosing]);
    client.abort();
    expect(one.signal.reason).toBe(serverClosing);
    const read = exchange();
    const { signal } = read.one;
    read.one.abort('server-closing');
    read.client.abort();
    expect(signal.reason).toBe(serverClosing);
  });

  test('follows that of the Request once, until the response is finished', () => {
    const { client, listeners, one } = exchange();
    one.follow();
    one.follow();
    const { signal } = one;
    expect(listeners()).toBe(1);
    one.finish();
    one.finish();
    expect(listeners()).toBe(0);
    client.abort();
    one.abort('server-closing');
    expect([signal.aborted, one.aborted]).toEqual([false, false]);
  });

  test('follows that of the connection, too, until the response is finished', () => {
    const open = (connection: AbortSignal) => new FetchExchange(new Request('http://host/'), { connection }, '/', 1);
    const closed = new AbortController();
    const one = open(closed.signal);
    one.follow();
    closed.abort();
    expect([one.aborted, one.signal.reason]).toEqual([true, clientLeft]);
    const late = new AbortController();
    const finished = open(late.signal);
    finished.follow();
    expect(getEventListeners(late.signal, 'abort')).toHaveLength(1);
    finished.finish();
    expect(getEventListeners(late.signal, 'abort')).toHaveLength(0);
    const before = open(AbortSignal.abort());
    before.follow();
    expect(before.signal.reason).toBe(clientLeft);
  });

  test('follows nothing once the response is finished', () => {
    const { client, listeners, one } = exchange();
    one.finish();
    one.follow();
    expect(listeners()).toBe(0);
    client.abort();
    expect([one.signal.aborted, one.aborted]).toEqual([false, false]);
  });
});

describe('the body of a fetch request', () => {
  test('has at most as many bytes as the reader and the handler allow', async () => {
    const read = (limit: number, maxBodyBytes: number): Promise<Uint8Array> =>
      exchange({ method: 'POST', body: '12345' }, maxBodyBytes).one.body(limit);
    await expect(read(5, 5)).resolves.toHaveLength(5);
    for (const [limit, most] of [
      [4, 5],
      [5, 4],
    ] as const) {
      await expect(read(limit, most)).rejects.toMatchObject({ name: 'BodyError', code: 'too-large' });
    }
  });

  test('is abandoned with the reason when the client leaves or the request is aborted', async () => {
    const leaving = exchange(endless());
    const body = leaving.one.body(10);
    expect(leaving.signalReads()).toBe(0);
    leaving.client.abort();
    await expect(body).rejects.toMatchObject({ name: 'BodyError', code: 'aborted', cause: clientLeft });
    const closing = exchange(endless());
    const other = closing.one.body(10);
    closing.one.abort('server-closing');
    await expect(other).rejects.toMatchObject({ name: 'BodyError', code: 'aborted', cause: serverClosing });
  });

  test('is read whole, without a stream and without signals, where it announces a length up to 64 KiB', async () => {
    const read = async (bytes: number, announced: number): Promise<unknown[]> => {
      const headers = { 'content-length': String(announced) };
      const asked = exchange({ method: 'POST', body: 'x'.repeat(bytes), headers }, 100_000);
      const whole = vi.spyOn(asked.request, 'arrayBuffer');
      const { length } = await asked.one.body(90_000);
      return [length, whole.mock.calls.length, asked.signalReads()];
    };
    expect(await read(65_536, 65_536)).toEqual([65_536, 1, 0]);
    expect(await read(65_537, 65_537)).toEqual([65_537, 0, 0]);
  });

  test('is read as a stream where it is chunked as well, so that its length is unreliable', async () => {
    const headers = { 'content-length': '3', 'transfer-encoding': 'chunked' };
    const { one, request } = exchange({ method: 'POST', body: 'x'.repeat(5), headers });
    const whole = vi.spyOn(request, 'arrayBuffer');
    expect(await one.body(10)).toHaveLength(5);
    expect(whole).not.toHaveBeenCalled();
  });

  test('that is longer than it announces is refused', async () => {
    const { one } = exchange({ method: 'POST', body: 'x'.repeat(1_001), headers: { 'content-length': '3' } });
    await expect(one.body(1_000)).rejects.toMatchObject({ name: 'BodyError', code: 'too-large' });
  });

  test('is abandoned when the response is finished', async () => {
    const { one } = exchange(endless());
    const body = one.body(10);
    one.finish();
    await expect(body).rejects.toMatchObject({ name: 'BodyError', code: 'aborted' });
    expect(one.misuse).toBeUndefined();
  });

  test('is a TypeError, which is kept in `misuse`, where something else has read it', async () => {
    const { one, request } = exchange({ method: 'POST', body: '12345' });
    await request.text();
    const message =
      'the body of this Request has been read already: hand the Request over unread, or a clone made before reading it';
    await expect(one.body(10)).rejects.toThrow(new TypeError(message));
    expect(one.misuse).toMatchObject({ name: 'TypeError', message });
  });
});
