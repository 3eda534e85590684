import { fstatSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { onSignals } from '../bridge/node/process-signals.js';
import { keepProcessAlive } from '../clock/keep-process-alive.js';
import { SIGNAL_EXIT_CODES, type EndSignal, type ProcessContext } from './command-line/command.js';

const STDOUT = 1;
const STDERR = 2;
const SIGNALS = Object.keys(SIGNAL_EXIT_CODES) as readonly EndSignal[];

/** Runs a program, and ends the process with its exit code. Commands use the process only through their context. */
export async function runInProcess(
  program: (argv: readonly string[], context: ProcessContext) => Promise<number>,
): Promise<void> {
  let outputCounts = true;
  const outputFailed = (error: NodeJS.ErrnoException): void => {
    if (!outputCounts) return;
    // The reader of the output may close it early, as `head` does.
    if (error.code === 'EPIPE') process.exit();
    try {
      writeFileSync(STDERR, `error: stdout cannot be written: ${error.message}\n`);
    } catch {
      // The exit code says it, too.
    }
    process.exit(1);
  };
  const context: ProcessContext = {
    stdout: fstatSync(STDOUT).isFile() ? { write: (text) => writeToFile(text, outputFailed) } : process.stdout,
    stderr: process.stderr,
    pid: process.pid,
    colour: process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
    onSignal: (callback) => onSignals(SIGNALS, callback),
    outliveOutput: () => void (outputCounts = false),
  };
  if (process.pid === 1) SIGNALS.forEach(endUnlessHeard);
  // Log lines that cannot be written (a full disk, a reader that has ended) are lost, and do not end a server.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', outputFailed);
  // A command may wait for unreferenced timers only, such as those of a store that retries.
  const release = keepProcessAlive();

  const code = await program(process.argv.slice(2), context);
  release();
  process.exitCode = code;
  // A pipe that nobody reads does not hold a server that has ended.
  if (!outputCounts) process.exit();
  // Once the output has reached the pipe, without waiting for handles that a command has left open.
  process.stdout.write('', (error) => {
    if (error) outputFailed(error);
    process.exit();
  });
}

/** Node's stream for a file writes once, and silently loses what did not fit. */
function writeToFile(text: string, failed: (error: NodeJS.ErrnoException) => void): void {
  try {
    writeFileSync(STDOUT, text);
  } catch (error) {
    failed(error as NodeJS.ErrnoException);
  }
}

/** The kernel delivers to the first process of a container only signals it listens to, also while it starts. */
function endUnlessHeard(signal: EndSignal): void {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(SIGNAL_EXIT_CODES[signal]);
  });
}
