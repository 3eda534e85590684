import type { FlagTable } from './command-line.js';

/** What the help of a command says. */
export interface HelpOptions {
  /** What the command does. */
  readonly about: readonly string[];
  /** `kube-vitals copy FROM TO [flags]`. */
  readonly usage: string;
  readonly flags: FlagTable;
}

/** The help of a command: what it does, and its flags with their defaults. */
export function helpText({ about, usage, flags }: HelpOptions): string {
  const lines = Object.entries(flags).map(([name, { value, fallback, shownDefault = fallback, help }]) => {
    const head = value === undefined ? `--${name}[=true|false]` : `--${name} ${value}`;
    return `  ${head}\n      ${help}${shownDefault === '' ? '' : ` (default ${shownDefault})`}\n`;
  });
  return [...about, '', `Usage: ${usage}`, '', ...lines, '  --help\n      Prints this.\n'].join('\n');
}
