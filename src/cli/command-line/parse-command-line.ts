import { parseArgs } from 'node:util';
import { parseGoDuration } from '../../time/go-duration.js';

/** One flag of a command: the source of parsing, of the help and of the tables in docs/standalone.md. */
export type FlagDefinition<Value = unknown> = FlagTexts &
  (boolean extends Value
    ? Partial<FlagReader<Value>>
    : string | undefined extends Value
      ? Partial<FlagReader<Value>>
      : FlagReader<Value>);

interface FlagTexts {
  /** Its one-letter form: `n` for `-n`. */
  readonly short?: string;
  /** The name of the value in the help; absent for booleans, whose value may be left out. */
  readonly value?: string;
  /** The text of the default. Default: `false` for booleans, else empty. */
  readonly fallback?: string;
  readonly shownDefault?: string;
  readonly help: string;
  /** The part of the value that an error message may contain. Default: all of it. */
  readonly quote?: (text: string) => string;
}

interface FlagReader<Value> {
  /** Reads the value, or throws an Error with its fault. Default: reads a boolean, or a text that is not empty. */
  readonly read: (text: string) => Value;
}

/** `data-dir` for `dataDir`. */
type KebabCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${KebabCase<Rest>}`
  : Name;

/** The flags for some values by their names, without the dashes, in the order of the help. */
export type FlagTable<Values = Readonly<Record<string, unknown>>> = {
  readonly [Name in keyof Values & string as KebabCase<Name>]: FlagDefinition<Values[Name]>;
};

/**
 * Reads a command line as kube-apiserver does: booleans also alone, and the last of equal flags counts. `--help` wins
 * over what comes after it. `names` are those of the operands. @throws Error that says what is wrong
 */
export function parseCommandLine<Values>(
  flags: FlagTable<Values>,
  names: readonly string[],
  argv: readonly string[],
): { readonly flags: Values; readonly operands: readonly string[] } | { readonly helpWanted: true } {
  const table: FlagTable = flags;
  const texts = new Map(Object.entries(table).map(([name, flag]) => [name, fallbackOf(flag)]));
  const operands: string[] = [];
  for (const token of tokensOf(table, argv)) {
    if (token.kind === 'option-terminator') throw new Error('unexpected argument "--"');
    if (token.kind === 'positional') {
      if (operands.push(token.value) > names.length) throw unexpected(token.value);
      continue;
    }
    const { name, rawName, value, inlineValue, index } = token;
    if (rawName === '--help' || rawName === '-h') return { helpWanted: true };
    if (!rawName.startsWith('--') && rawName !== `-${table[name]?.short}`) throw unexpected(rawName);
    if (!texts.has(name)) throw new Error(`unknown flag: ${rawName}`);
    if (value === undefined && table[name]?.value !== undefined) throw new Error(`flag needs an argument: ${rawName}`);
    // As it was given: `tokensOf` may have changed a value that looks like a flag.
    const given = inlineValue === false ? argv[index + 1] : value;
    // As kubectl accepts it: -o=json.
    texts.set(name, (inlineValue && !rawName.startsWith('--') ? value.replace(/^=/, '') : given) ?? 'true');
  }
  const missing = names.slice(operands.length);
  if (missing.length > 0) throw new Error(`missing argument${missing.length > 1 ? 's' : ''}: ${missing.join(' ')}`);
  const values = [...texts].map(([name, text]) => [
    name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
    readValue(name, table[name] as FlagDefinition, text),
  ]);
  return { flags: Object.fromEntries(values) as Values, operands };
}

const unexpected = (text: string): Error => new Error(`unexpected argument ${JSON.stringify(text)}`);

/** Not strict: the caller reports unknown flags. */
function tokensOf(table: FlagTable, argv: readonly string[]): NonNullable<ReturnType<typeof parseArgs>['tokens']> {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) } as const,
    ]),
  );
  // `parseArgs` gives letters no value unless they need one: -w=false is --watch=false.
  const args = argv.map((word) =>
    word.replace(/^-(.)=/, (head, letter: string) => {
      const [name] = Object.entries(table).find(([, { short }]) => short === letter) ?? [];
      return name === undefined ? head : `--${name}=`;
    }),
  );
  return parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readValue(name: string, { value, read, quote }: FlagDefinition, text: string): unknown {
  try {
    return (read ?? (value === undefined ? readBoolean : readOptional))(text);
  } catch (error) {
    const shown = JSON.stringify(quote === undefined ? text : quote(text));
    throw new Error(`invalid argument ${shown} for "--${name}" flag: ${(error as Error).message}`);
  }
}

const fallbackOf = ({ value, fallback = value === undefined ? 'false' : '' }: FlagDefinition): string => fallback;

export const defaultOf = (flag: FlagDefinition): string => flag.shownDefault ?? fallbackOf(flag);

export function helpText(about: readonly string[], usage: string, flags: FlagTable): string {
  const lines = Object.entries(flags).map(([name, flag]) => {
    const names = flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`;
    const head = flag.value === undefined ? `${names}[=true|false]` : `${names} ${flag.value}`;
    const shown = defaultOf(flag);
    return `  ${head}\n      ${flag.help}${shown === '' ? '' : ` (default ${shown})`}\n`;
  });
  return [
    ...about,
    '',
    `Usage: kube-vitals ${usage} [flags]`,
    '',
    ...lines,
    '  --help\n      Prints this help.\n',
  ].join('\n');
}

function readBoolean(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw new Error('must be true or false');
}

/** Reads a Go duration within bounds, in milliseconds. `words` name the bounds. */
export function durationWithin(min: number, max: number, words: string): (text: string) => number {
  return (text) => {
    const parsed = parseGoDuration(text);
    if ('fault' in parsed) throw new Error(parsed.fault);
    if (parsed.ms < min || parsed.ms > max) throw new Error(`must be ${words}`);
    return parsed.ms;
  };
}

export function wholeNumberWithin(
  min: number,
  max: number,
  words = `a whole number from ${min} to ${max}`,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) throw new Error(`must be ${words}`);
    return value;
  };
}

export function readNonEmpty(text: string): string {
  if (text === '') throw new Error('must not be empty');
  return text;
}

function readOptional(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** A token may be sent unencrypted only to this machine. @throws Error for any other http URL */
export function refuseUnencryptedToken({ protocol, hostname }: URL): void {
  if (protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) {
    throw new Error('--token-file needs an https URL: a token is not sent unencrypted over a network');
  }
}

export function oneOf<Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Error(`must be ${words.filter(Boolean).join(' or ')}`);
    return found;
  };
}
