import { describe, expect, it, vi } from 'vitest';
import { allowAuthenticated, createEvents, memoryStore, staticTokens, type Observe } from '../../../../src/index.js';

const events = (observe: Observe) =>
  createEvents({
    apiDomain: 'example.com',
    store: memoryStore(),
    authenticate: staticTokens({ t: { name: 'ops' } }),
    authorize: allowAuthenticated(),
    observe,
  });
const request = { method: 'GET', url: '/apis/events.example.com/v1/events', headers: { authorization: 'Bearer t' } };

describe('a hook that fails', () => {
  it.each([
    [
      'throws',
      (): never => {
        throw new Error('full');
      },
    ],
    ['rejects', (): Promise<never> => Promise.reject(new Error('full'))],
  ])('and %s changes no response and harms no process', async (_, observe) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const api = events(observe);
    expect((await api.handle(request))?.status).toBe(200);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
    process.off('unhandledRejection', unhandled);
    await api.close();
  });
});

describe('options', () => {
  it('are refused with one error that lists all faults', () => {
    const bad = { apiDomain: 'UPPER', store: 5, ttlMs: 1, limits: { reads: 0 }, tls: true };
    expect(() => createEvents(bad as never)).toThrow(
      /^createEvents: apiDomain must be .*; store must be .*; authenticate must be .*; authorize must be .*; ttlMs must be .*; limits\.reads must be .*; there is no option "tls" \(did you mean one of apiDomain, .*\)$/,
    );
  });
});
