import type { ProcessContext } from '../command-line/command.js';
import { passwordFilter } from '../stores/store-url.js';
import type { Flags } from './flags.js';

/** Writes lines to stderr, without the password of the store. `source` is in front of each. */
export function createLog(
  { store }: Pick<Flags, 'store'>,
  { stderr }: Pick<ProcessContext, 'stderr'>,
  source: string = '',
): (line: string) => void {
  const hidePassword = store === undefined ? (line: string): string => line : passwordFilter(store);
  return (line) => void stderr.write(`${source}${hidePassword(line)}\n`);
}
