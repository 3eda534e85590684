/** The faults of an option's value, a sentence each. `name` is its path. `undefined` is absent: see `required`. */
export type OptionRule = (value: unknown, name: string) => readonly string[];

/** The options of a function, each with its rule. The type ensures that every option has one. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/** Returns the faults of options that are valid individually. `false` and `undefined` are ignored. */
export type CrossCheck<Options> = (options: Options) => readonly (string | false | undefined)[];

/** Checks the options of the function `where`. @throws TypeError listing every fault, unknown options included */
export function checkOptions<Options extends object>(
  where: string,
  given: Options,
  rules: OptionRules<Options>,
  crossCheck?: CrossCheck<Options>,
): void {
  throwFaults(where, optionFaults(given, rules, crossCheck));
}

/** Returns every fault of some options. `path`: the path of the option whose value they are, if they are nested. */
export function optionFaults<Options extends object>(
  given: unknown,
  rules: OptionRules<Options>,
  crossCheck?: CrossCheck<Options>,
  path = '',
): readonly string[] {
  if (typeof given !== 'object' || !given || Array.isArray(given) || 'then' in given) {
    return [`${path || 'the options'} must be an object`];
  }
  const prefix = path && `${path}.`;
  const known = Object.keys(rules) as (keyof Options & string)[];
  const values = given as Readonly<Record<string, unknown>>;
  return [
    ...known.flatMap((name) => rules[name](values[name], prefix + name)),
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(rules, name))
      .map((name) => unknownOption(name, known, prefix)),
    ...((crossCheck?.(given as Options) ?? []).filter(Boolean) as string[]),
  ];
}

/** If there are faults, throws one TypeError that lists them all, so that they can be corrected together. */
export function throwFaults(where: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new TypeError(`${where}: ${faults.join('; ')}`);
}

/** Describes an invalid value in a few words that reveal nothing of its content. */
export function described(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  return `a value of type ${Array.isArray(value) ? 'array' : typeof value}`;
}

function unknownOption(name: string, known: readonly string[], prefix: string): string {
  const near = known.find((other) => isNear(name.toLowerCase(), other.toLowerCase()));
  const meant = near === undefined ? `one of ${known.join(', ')}` : `"${prefix}${near}"`;
  return `there is no option ${JSON.stringify(prefix + name)} (did you mean ${meant}?)`;
}

/** Whether two names differ in one place, by at most two letters; in short names by one. */
function isNear(name: string, other: string): boolean {
  const shorter = Math.min(name.length, other.length);
  let prefix = 0;
  while (prefix < shorter && name[prefix] === other[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shorter - prefix && name.at(-1 - suffix) === other.at(-1 - suffix)) suffix++;
  return Math.max(name.length, other.length) - prefix - suffix <= Math.min(2, name.length / 2.5);
}
