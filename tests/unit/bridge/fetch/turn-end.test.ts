import { expect, test, vi } from 'vitest';
import { toFetchHandler } from '../../../../src/bridge/fetch/handler.js';

test('responses are sent after the last request of a turn of the event loop was handled', async () => {
  const log: string[] = [];
  const handler = toFetchHandler(({ url }) => {
    log.push(`handled ${url}`);
    return { status: 200, headers: {}, body: 'ok' };
  });
  const ask = async (path: string): Promise<void> => {
    await handler(new Request(`http://host${path}`));
    log.push(`answered ${path}`);
  };
  await Promise.all([ask('/1'), ask('/2')]);
  expect(log).toEqual(['handled /1', 'handled /2', 'answered /1', 'answered /2']);
});

test('responses do not wait for timers that a test has replaced', async () => {
  vi.useFakeTimers();
  try {
    const handler = toFetchHandler(() => ({ status: 204, headers: {}, body: null }));
    expect((await handler(new Request('http://host/')))?.status).toBe(204);
  } finally {
    vi.useRealTimers();
  }
});

test('responses do not wait in runtimes without setImmediate', async () => {
  vi.resetModules();
  vi.stubGlobal('setImmediate', undefined);
  const modules = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  try {
    const { turnEnd } = await import('../../../../src/bridge/fetch/turn-end.js');
    expect(turnEnd()).toBeUndefined();
    const { toFetchHandler: make } = await import('../../../../src/bridge/fetch/handler.js');
    const echo = make(async ({ body }) => ({ status: 200, headers: {}, body: (await body?.(10)) as Uint8Array }));
    const response = await echo(new Request('http://host/', { method: 'POST', body: 'text' }));
    expect(await response?.text()).toBe('text');
  } finally {
    modules.mockRestore();
    vi.unstubAllGlobals();
    // Files that share modules with this one must not get the module loaded here.
    vi.resetModules();
  }
});
