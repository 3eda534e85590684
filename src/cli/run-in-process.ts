import process from 'node:process';
import { keepProcess } from '../clock/keep-process.js';
import { SIGNAL_EXIT_CODES, type EndSignal, type ProcessContext } from './command-line/command.js';

const SIGNALS = Object.keys(SIGNAL_EXIT_CODES) as readonly EndSignal[];

/**
 * Runs a program in this process and ends it with the exit code: the one file that reads and ends the process.
 *
 * @param program resolves to the exit code
 */
export async function runInProcess(
  program: (argv: readonly string[], context: ProcessContext) => Promise<number>,
): Promise<void> {
  const context: ProcessContext = {
    stdout: process.stdout,
    stderr: process.stderr,
    pid: process.pid,
    colour: process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
    onSignal(listener) {
      for (const signal of SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener);
      };
    },
    outliveOutput: () => void process.stdout.off('error', endWithOutput).on('error', () => undefined),
  };
  if (process.pid === 1) SIGNALS.forEach(endUnlessHeard);
  // Lines of the log that nobody takes (a full disk, a reader that has ended) are lost; they end no server.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', endWithOutput);
  // A command may wait for unreferenced timers only, such as those of a store that retries.
  const release = keepProcess();

  const code = await program(process.argv.slice(2), context);
  release();
  process.exitCode = code;
  // Once the output has reached the pipe, without waiting for handles that a command has left open.
  process.stdout.write('', () => process.exit());
}

/** The reader of the output may close it early, as `head` does. */
function endWithOutput({ code }: NodeJS.ErrnoException): never {
  return process.exit(code === 'EPIPE' ? 0 : 1);
}

/** The kernel ends the first process of a container only by signals that it listens to: also during its start. */
function endUnlessHeard(signal: EndSignal): void {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(SIGNAL_EXIT_CODES[signal]);
  });
}
