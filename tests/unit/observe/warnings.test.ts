import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEvents, createHealth, memoryStore, type ApiHandler, type Observe } from '../../../src/index.js';
import { toFetchHandler } from '../../../src/fetch.js';
import { toNodeListener } from '../../../src/node.js';
import { createNotifier } from '../../../src/observe/observation.js';

const emitWarning = vi.spyOn(process, 'emitWarning');
const warnings = (): string[] => emitWarning.mock.calls.map(([text]) => String(text));
beforeEach(() => emitWarning.mockReset().mockImplementation(() => undefined));
afterEach(() => vi.unstubAllGlobals());

const failing: ApiHandler = () => {
  throw new TypeError('broken', { cause: new Error('why') });
};

describe('without observe, an unexpected error', () => {
  it('is a warning of the process, with its cause, its stack and a code, once for each place', () => {
    const notify = createNotifier(undefined);
    const error = new Error('broken', { cause: new Error('why') });
    for (const where of ['events', 'events', 'events: authenticate']) notify({ type: 'error', error, where });
    expect(warnings()).toEqual([
      'kube-vitals: unexpected error in events: broken: why (reported once; set the option observe to receive every error)',
      expect.stringContaining('in events: authenticate: broken'),
    ]);
    expect(emitWarning.mock.calls[0]?.[1]).toEqual({
      type: 'KubeVitalsWarning',
      code: 'KUBE_VITALS_ERROR',
      detail: error.stack,
    });
  });

  it('of a body that was read and thrown away explains what to do', async () => {
    const events = createEvents({
      apiDomain: 'example.com',
      store: memoryStore(),
      authenticate: () => ({ name: 'ops', groups: [], extra: {} }),
      authorize: () => ({ allowed: true }),
    });
    const listener = toNodeListener(events.handle);
    const server = createServer((request, response) => {
      request.resume().on('end', () => listener(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/apis/events.example.com/v1/namespaces/a/events`;
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const responses = [await fetch(url, init), await fetch(url, init)];
    server.close();
    server.closeAllConnections();
    await events.close();
    expect(responses.map(({ status }) => status)).toEqual([500, 500]);
    expect(warnings()).toEqual([expect.stringMatching(/ in events: something has read .* mount the listener before/)]);
  });

  it('in a listener of health.onChange is one, too', async () => {
    const health = createHealth();
    health.onChange(() => {
      throw new Error('broken');
    });
    health.add({ name: 'it', check: () => false });
    await health.report('readyz');
    expect(warnings()).toEqual([expect.stringContaining('in health: onChange listener: broken')]);
  });

  it('of a handler behind a bridge is one, with the name of the bridge', async () => {
    await toFetchHandler(failing)(new Request('http://localhost/'));
    const server = createServer(toNodeListener(failing));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.close();
    server.closeAllConnections();
    expect(warnings()).toEqual([
      expect.stringMatching(/in toFetchHandler: handler: broken: why \(reported once; set the option onError/),
      expect.stringContaining('in toNodeListener: handler: broken: why'),
    ]);
  });

  it('is nothing where the runtime has no warnings', () => {
    const notify = createNotifier(undefined);
    for (const process of [undefined, {}, { emitWarning: failing }]) {
      vi.stubGlobal('process', process);
      expect(() => notify({ type: 'error', error: new Error('broken'), where: String(process) })).not.toThrow();
    }
  });
});

describe('with observe, an unexpected error', () => {
  it('is no warning, even when the hook throws', () => {
    const observe: Observe = () => {
      throw new Error('observer');
    };
    createNotifier(observe)({ type: 'error', error: new Error('broken'), where: 'events' });
    expect(warnings()).toEqual([]);
  });
});

describe('without observe, an observation that is not an error', () => {
  it('is not reported', async () => {
    const health = createHealth();
    health.add({ name: 'it', check: () => false });
    await health.report('readyz');
    expect(warnings()).toEqual([]);
  });
});
