import { describe, expect, it } from 'vitest';
import { RunContext } from '../../../src/health/run-context.js';

describe('the signal of a run', () => {
  it('is one signal, however often it is read', () => {
    const context = new RunContext();
    const { signal } = context;
    expect(context.signal).toBe(signal);
    context.abort('timeout');
    expect([signal.aborted, context.signal === signal]).toEqual([true, true]);
  });

  it.each([
    ['timeout', 'TimeoutError', 'the health check timed out'],
    ['closed', 'AbortError', 'the health object has been closed'],
  ] as const)('has the reason why it was aborted: %s', (why, name, message) => {
    const read = new RunContext();
    const { signal } = read;
    const unread = new RunContext();
    for (const context of [read, unread]) context.abort(why);
    expect([signal.reason, unread.signal.reason]).toMatchObject([
      { name, message },
      { name, message },
    ]);
  });

  it('keeps its first reason', () => {
    const context = new RunContext();
    context.abort('timeout');
    context.abort('closed');
    expect(context.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
