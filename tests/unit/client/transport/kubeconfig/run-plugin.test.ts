import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { runPlugin } from '../../../../../src/client/transport/kubeconfig/run-plugin.js';

const spawned = vi.hoisted(() => ({ spawn: vi.fn() }));
vi.mock('node:child_process', () => spawned);
afterEach(() => vi.clearAllMocks());

test('a program that cannot be started for lack of file descriptors is named in the error', async () => {
  // What Node gives then: no streams, and an error in the next tick.
  const child = Object.assign(new EventEmitter(), { kill: () => false });
  spawned.spawn.mockImplementation(() => {
    process.nextTick(() => child.emit('error', Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })));
    return child;
  });
  const onOutput = vi.fn();
  const plugin = { command: '/bin/aws', args: [], env: {}, timeoutMs: 5_000, installHint: undefined, onOutput };
  await expect(runPlugin(plugin, new AbortController().signal)).rejects.toThrow(
    'the program "/bin/aws" could not be started (EMFILE)',
  );
  expect(onOutput).toHaveBeenCalledExactlyOnceWith('');
});

test.each([
  [
    'throws',
    (): void => {
      throw new Error('the hook is broken');
    },
  ],
  // A rejection that nobody handles would end the process; Vitest fails for it.
  ['rejects', (): Promise<void> => Promise.reject(new Error('the hook is broken'))],
])('the output of a program is used though onOutput %s', async (_, hook) => {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const child = Object.assign(new EventEmitter(), { ...streams, kill: () => false });
  spawned.spawn.mockImplementation(() => {
    streams.stdout.end('{}');
    streams.stdout.once('end', () => child.emit('close', 0, null));
    return child;
  });
  let calls = 0;
  // Not a mock, which would handle the rejection itself.
  const onOutput = (): void => {
    calls++;
    return hook() as void;
  };
  const plugin = { command: '/bin/aws', args: [], env: {}, timeoutMs: 5_000, installHint: undefined, onOutput };
  await expect(runPlugin(plugin, new AbortController().signal)).resolves.toBe('{}');
  expect(calls).toBe(1);
});
