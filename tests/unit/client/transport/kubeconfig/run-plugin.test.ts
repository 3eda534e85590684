import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { runPlugin } from '../../../../../src/client/transport/kubeconfig/run-plugin.js';

const spawned = vi.hoisted(() => ({ spawn: vi.fn() }));
vi.mock('node:child_process', () => spawned);
afterEach(() => {
  vi.clearAllMocks();
  vi.useRealTimers();
});

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

test.each([
  [0, { resolved: '{"a":1}' }],
  [3, { rejected: 'kubeconfig: the program "/bin/aws" ended with exit code 3' }],
])(
  'a program that ends with exit code %i is not waited for until its own children close the pipes',
  async (code, outcome) => {
    vi.useFakeTimers();
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const child = Object.assign(new EventEmitter(), { ...streams, kill: () => false });
    spawned.spawn.mockReturnValue(child);
    const onOutput = vi.fn();
    const plugin = { command: '/bin/aws', args: [], env: {}, timeoutMs: 60_000, installHint: undefined, onOutput };
    const running = runPlugin(plugin, new AbortController().signal).then(
      (resolved) => ({ resolved }),
      (error: Error) => ({ rejected: error.message }),
    );
    await vi.waitFor(() => expect(child.listenerCount('close')).toBe(1));
    streams.stdout.write('{"a"');
    child.emit('exit', code, null);
    // What the pipes contain at the end of the program may be read after it.
    streams.stdout.write(':1}');
    streams.stderr.write('warning');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await Promise.race([running, Promise.resolve('still waiting')])).toEqual(outcome);
    expect(onOutput).toHaveBeenCalledExactlyOnceWith('warning');
    expect(streams.stdout.destroyed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  },
);

test('arguments and variables that no program can get are not repeated in the error', async () => {
  const { spawn } = await vi.importActual<typeof import('node:child_process')>('node:child_process');
  spawned.spawn.mockImplementation(spawn);
  const plugin = { command: 'true', timeoutMs: 5_000, installHint: undefined, onOutput: undefined };
  for (const given of [
    { args: ['se\0cret'], env: {} },
    { args: [], env: { TOKEN: 'se\0cret' } },
  ]) {
    await expect(runPlugin({ ...plugin, ...given }, new AbortController().signal)).rejects.toThrow(
      /^kubeconfig: the program "true" could not be started \(ERR_INVALID_ARG_VALUE\)$/,
    );
  }
});
