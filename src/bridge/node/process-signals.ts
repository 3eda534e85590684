import { constants } from 'node:os';
import process from 'node:process';
import type { OptionRule } from '../../options/check-options.js';
import { aListOfStrings } from '../../options/rules.js';

/** No process can listen for these. */
const UNHEARD = ['SIGKILL', 'SIGSTOP'];

/** Requires a list of names of signals that this system has, and that a process can listen for. */
export const aListOfSignals: OptionRule = (value, name) => {
  const faults = aListOfStrings(value, name);
  if (faults.length > 0 || value === undefined) return faults;
  return (value as readonly string[]).flatMap((signal) => {
    if (!(signal in constants.signals)) return [`${name}: there is no signal ${JSON.stringify(signal)}`];
    return UNHEARD.includes(signal) ? [`${name}: no process can listen for ${signal}`] : [];
  });
};

/** A signal that ends a service. Listed here, so that users do not need the types of Node. */
export type ShutdownSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGBREAK' | 'SIGUSR1' | 'SIGUSR2';

/** Within this time the same signal is a copy, in milliseconds: too short for somebody who insists. */
const COPY_MS = 200;

/**
 * Calls back for each of these signals, until the function that is returned is called. Ignores copies of a signal: npm,
 * where `sh` is bash, passes on one that the whole group has got.
 */
export function onSignals<Signal extends ShutdownSignal>(
  signals: readonly Signal[],
  callback: (signal: Signal) => void,
): () => void {
  let last: Signal | undefined;
  let before = 0;
  const listener = (signal: Signal): void => {
    const now = performance.now();
    if (signal === last && now < before) return;
    last = signal;
    before = now + COPY_MS;
    callback(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** Ends the process once what was written to its standard output has reached the pipe. */
export function exitProcess(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.exit());
}
