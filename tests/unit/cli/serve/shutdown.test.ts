import { expect, it } from 'vitest';
import type { EndSignal } from '../../../../src/cli/command-line/command.js';
import { shutDownOnSignal } from '../../../../src/cli/serve/shutdown.js';

type Outcome = { readonly drained: boolean; readonly failures: readonly unknown[] };

function begin(shutdown: () => Promise<Outcome>) {
  let send: (signal: EndSignal) => void = () => undefined;
  const log: string[] = [];
  const code = shutDownOnSignal({
    shutdown,
    log: (line) => void log.push(line),
    onSignal: (listener) => {
      send = listener;
      return () => undefined;
    },
  });
  return { code, log, send: (signal: EndSignal) => send(signal) };
}

it.each([
  [{ drained: true, failures: [] }, 0, 'ended'],
  [{ drained: false, failures: [] }, 0, 'ended; some connections had to be cut'],
  [{ drained: true, failures: [new Error('x')] }, 1, 'ended'],
])('the first signal runs the shutdown sequence: %j gives %i', async (outcome, expected, line) => {
  const { code, log, send } = begin(async () => outcome);
  send('SIGTERM');
  expect(await code).toBe(expected);
  expect(log).toEqual(['SIGTERM: shutting down', line]);
});

it('a second signal ends the process at once', async () => {
  const { code, log, send } = begin(() => new Promise(() => undefined));
  send('SIGTERM');
  send('SIGINT');
  expect(await code).toBe(1);
  expect(log.at(-1)).toBe('SIGINT again: ending at once');
});
