import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventsClient, type ApiResponse } from '../../../../src/client.js';
import { settle } from '../watching/bench.js';

const FRAME = new TextEncoder().encode('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');

describe('a watch in the same process', () => {
  const held = new Set<unknown>();
  beforeEach(() => {
    held.clear();
    const { setInterval: set, clearInterval: clear } = globalThis;
    vi.spyOn(globalThis, 'setInterval').mockImplementation((...args: Parameters<typeof setInterval>) => {
      const timer = set(...args);
      held.add(timer);
      return timer;
    });
    vi.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => {
      held.delete(timer);
      clear(timer);
    });
  });
  afterEach(() => void vi.restoreAllMocks());

  const responseWith = (body: ApiResponse['body']): ApiResponse => ({ status: 200, headers: {}, body });
  const watching = (transport: () => Promise<ApiResponse>, signal?: AbortSignal) =>
    createEventsClient({ transport }).watch({ signal })[Symbol.asyncIterator]();

  it('keeps the process alive while its response or a frame is awaited, and not while the consumer works', async () => {
    let begin: (response: ApiResponse) => void = () => undefined;
    let more: () => void = () => undefined;
    async function* body(): AsyncGenerator<Uint8Array> {
      yield FRAME;
      await new Promise<void>((resolve) => (more = resolve));
    }
    const frames = watching(() => new Promise((resolve) => (begin = resolve)));
    expect(held.size).toBe(0);
    const first = frames.next();
    await settle();
    expect(held.size).toBe(1);
    begin(responseWith(body()));
    expect((await first).value).toMatchObject({ type: 'ADDED' });
    expect(held.size).toBe(0);
    const second = frames.next();
    await settle();
    expect(held.size).toBe(1);
    more();
    expect(await second).toEqual({ done: true, value: undefined });
    expect(held.size).toBe(0);
  });

  it('no longer keeps it alive when it is left, aborted, refused or broken', async () => {
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      yield FRAME;
      await new Promise(() => undefined);
    };
    const left = watching(async () => responseWith(endless()));
    await left.next();
    const waiting = left.next();
    await settle();
    expect(held.size).toBe(1);
    await left.return?.();
    await waiting;
    expect(held.size).toBe(0);

    const stopping = new AbortController();
    const aborted = watching(async () => responseWith(endless()), stopping.signal);
    await aborted.next();
    const cut = aborted.next();
    await settle();
    stopping.abort(new Error('enough'));
    await expect(cut).rejects.toThrow('enough');
    expect(held.size).toBe(0);

    await expect(watching(async () => ({ status: 403, headers: {}, body: '' })).next()).rejects.toThrow();
    await expect(watching(() => Promise.reject(new Error('unreachable'))).next()).rejects.toThrow();
    await expect(watching(async () => responseWith('no frame\n')).next()).rejects.toThrow();
    expect(held.size).toBe(0);
  });

  it('releases its body when the consumer leaves it between two frames', async () => {
    const returned = vi.fn(async () => ({ done: true, value: undefined }) as const);
    const chunks = { next: async () => ({ done: false, value: FRAME }) as const, return: returned };
    const frames = watching(async () => responseWith({ [Symbol.asyncIterator]: () => chunks }));
    await frames.next();
    await frames.return?.();
    expect(returned).toHaveBeenCalledOnce();
  });
});
