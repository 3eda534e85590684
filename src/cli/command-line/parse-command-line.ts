import { parseArgs } from 'node:util';
import type { OptionRule } from '../../options/check-options.js';
import { aWholeNumber } from '../../options/rules.js';
import { parseGoDuration } from '../../time/go-duration.js';

/** One flag of a command. Parsing, the help and the tables of docs/standalone.md are made of it. */
export interface FlagDefinition<T = unknown> {
  /** Its letter: `n` for `-n`. */
  readonly short?: string;
  /** How the value is called in the help; absent for booleans, whose value may be left out. */
  readonly value?: string;
  /** The text of the default. */
  readonly fallback: string;
  /** Shown in place of the default. */
  readonly shownDefault?: string;
  readonly help: string;
  /** Reads the value, or throws an Error that says what is wrong with it. */
  readonly read: (text: string) => T;
  /** What an error message may repeat of the value. Default: all of it. */
  readonly quote?: (text: string) => string;
}

/** Flags by their names, without the dashes, in the order of the help. */
export type FlagTable = Readonly<Record<string, FlagDefinition>>;

/** `dataDir` for `data-dir`. */
type CamelCase<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/** What the flags of a table are read as, by their names in camel case. */
export type FlagValues<Table extends FlagTable> = {
  readonly [Name in keyof Table as CamelCase<Name>]: ReturnType<Table[Name]['read']>;
};

/** What a command takes. */
interface CommandSyntax<Table extends FlagTable> {
  readonly flags: Table;
  /** What its operands are called. Each has to be given. */
  readonly operands: readonly string[];
}

/** What was read. */
type CommandLine<Table extends FlagTable> =
  | { readonly flags: FlagValues<Table>; readonly operands: readonly string[] }
  | { readonly helpWanted: true }
  | { readonly error: string };

/**
 * Reads a command line as kube-apiserver's is read: `--flag value`, `--flag=value`, booleans also alone, and the last one
 * counts. `--help` or `-h` wins over what comes after it.
 */
export function parseCommandLine<Table extends FlagTable>(
  { flags: table, operands: names }: CommandSyntax<Table>,
  argv: readonly string[],
): CommandLine<Table> {
  const texts = new Map(Object.entries(table).map(([name, { fallback }]) => [name, fallback]));
  const operands: string[] = [];
  for (const token of tokensOf(table, argv)) {
    if (token.kind === 'option-terminator') return { error: 'unexpected argument "--"' };
    if (token.kind === 'positional') {
      if (operands.push(token.value) > names.length)
        return { error: `unexpected argument ${JSON.stringify(token.value)}` };
      continue;
    }
    const { name, rawName, value } = token;
    if (rawName === '--help' || rawName === '-h') return { helpWanted: true };
    if (!rawName.startsWith('--') && rawName !== `-${table[name]?.short}`)
      return { error: `unexpected argument ${JSON.stringify(rawName)}` };
    if (!texts.has(name)) return { error: `unknown flag: ${rawName}` };
    if (value === undefined && table[name]?.value !== undefined) return { error: `flag needs an argument: ${rawName}` };
    texts.set(name, value ?? 'true');
  }
  const missing = names.slice(operands.length);
  if (missing.length > 0) return { error: `missing argument${missing.length > 1 ? 's' : ''}: ${missing.join(' ')}` };
  return readValues(table, texts, operands);
}

/** Not strict: the caller reports unknown flags. */
function tokensOf(table: FlagTable, argv: readonly string[]): NonNullable<ReturnType<typeof parseArgs>['tokens']> {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) } as const,
    ]),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readValues<Table extends FlagTable>(
  table: Table,
  texts: ReadonlyMap<string, string>,
  operands: readonly string[],
): CommandLine<Table> {
  const values: [string, unknown][] = [];
  for (const [name, { read, quote = (text: string) => text }] of Object.entries(table)) {
    const text = texts.get(name) ?? '';
    try {
      values.push([name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()), read(text)]);
    } catch (error) {
      const shown = JSON.stringify(quote(text));
      return { error: `invalid argument ${shown} for "--${name}" flag: ${(error as Error).message}` };
    }
  }
  return { flags: Object.fromEntries(values) as FlagValues<Table>, operands };
}

/** What the help of a command says. */
interface HelpOptions {
  /** What the command does. */
  readonly about: readonly string[];
  /** `kube-vitals copy FROM TO [flags]`. */
  readonly usage: string;
  readonly flags: FlagTable;
}

/** The help of a command: what it does, and its flags with their defaults. */
export function helpText({ about, usage, flags }: HelpOptions): string {
  const lines = Object.entries(flags).map(([name, { short, value, fallback, shownDefault = fallback, help }]) => {
    const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
    const head = value === undefined ? `${names}[=true|false]` : `${names} ${value}`;
    return `  ${head}\n      ${help}${shownDefault === '' ? '' : ` (default ${shownDefault})`}\n`;
  });
  return [...about, '', `Usage: ${usage}`, '', ...lines, '  --help\n      Prints this.\n'].join('\n');
}

/** `true` and `false` in every spelling that Go's flags take. */
export function readBoolean(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw new Error('must be true or false');
}

/** A Go duration in milliseconds. @throws Error with Go's text */
export function readDuration(text: string): number {
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.ms;
}

/** A whole number from 1. */
export function readCount(text: string, most: number = 999_999_999): number {
  return checked(aWholeNumber(1, most), /^\d+$/.test(text) ? Number(text) : NaN);
}

/** A value that keeps to the rule of the option it is for. */
function checked<Value>(rule: OptionRule, value: Value): Value {
  const [fault] = rule(value, '');
  if (fault !== undefined) throw new Error(fault.trim());
  return value;
}

/** Any text but an empty one. */
export function readNonEmpty(text: string): string {
  if (text === '') throw new Error('must not be empty');
  return text;
}

/** A text, or `undefined` where it is empty. */
export function readOptional(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** A reader of one of these words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Error(`must be ${words.join(' or ')}`);
    return found;
  };
}
