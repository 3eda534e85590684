import { constants } from 'node:os';
import process from 'node:process';
import type { OptionRule } from '../../options/check-options.js';
import { aListOfStrings } from '../../options/rules.js';
import { withoutCopies } from '../../clock/signal-copies.js';

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

/** Calls a listener for each of these signals, until the function that is returned is called. */
export function onSignals(signals: readonly ShutdownSignal[], callback: (signal: ShutdownSignal) => void): () => void {
  const listener = withoutCopies(callback);
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
