import { optionFaults, type CrossCheck, type OptionRule, type OptionRules } from './check-options.js';

/** Creates a rule from a test and the words that end the sentence `NAME must be …`. The test must refuse `null`. */
export function mustBe(fits: (value: unknown) => boolean, words: string): OptionRule {
  return (value, name) => (value === undefined || fits(value) ? [] : [`${name} must be ${words}`]);
}

export function required(rule: OptionRule): OptionRule {
  return (value, name) => rule(value ?? null, name);
}

export const aFunction: OptionRule = /* @__PURE__ */ mustBe((value) => typeof value === 'function', 'a function');

export const aBoolean: OptionRule = /* @__PURE__ */ mustBe((value) => typeof value === 'boolean', 'true or false');

export const aString: OptionRule = /* @__PURE__ */ mustBe((value) => typeof value === 'string', 'a string');

export const aNonEmptyString: OptionRule = /* @__PURE__ */ mustBe(isNonEmptyString, 'a non-empty string');

export const aList: OptionRule = /* @__PURE__ */ mustBe((value) => Array.isArray(value), 'a list');

export const aListOfStrings: OptionRule = /* @__PURE__ */ mustBe(
  (value) => Array.isArray(value) && value.every(isNonEmptyString),
  'a list of non-empty strings',
);

export const aClock: OptionRule = /* @__PURE__ */ anObjectWith(['now', 'monotonic', 'setTimer'], 'a Clock');

export const anAbortSignal: OptionRule = /* @__PURE__ */ mustBe(
  (value) => typeof (value as { readonly aborted?: unknown } | null)?.aborted === 'boolean',
  'an AbortSignal',
);

export const aPositiveNumber: OptionRule = /* @__PURE__ */ mustBe(
  (value) => typeof value === 'number' && value > 0 && value < Infinity,
  'a number above 0',
);

export function aNumber(min: number, max?: number): OptionRule {
  return mustBe((value) => isWithin(value, min, max), `a number ${bounds(min, max)}`);
}

export function aWholeNumber(min: number, max?: number): OptionRule {
  return mustBe(
    (value) => Number.isSafeInteger(value) && isWithin(value, min, max),
    `a whole number ${bounds(min, max)}`,
  );
}

export function orInfinity(rule: OptionRule): OptionRule {
  return (value, name) => (value === Infinity ? [] : rule(value, name).map((fault) => `${fault}, or Infinity`));
}

export function oneOf(...words: readonly string[]): OptionRule {
  return mustBe(
    (value) => (words as readonly unknown[]).includes(value),
    words.map((word) => `'${word}'`).join(' or '),
  );
}

export function anObjectWith(names: readonly string[], words: string): OptionRule {
  return mustBe((value) => hasFunctions(value, names), words);
}

export function anObject<Options extends object>(
  rules: OptionRules<Options>,
  crossCheck?: CrossCheck<Options>,
): OptionRule {
  return (value, name) => (value === undefined ? [] : optionFaults(value, rules, crossCheck, name));
}

export function aListOf(rule: OptionRule): OptionRule {
  return (value, name) =>
    Array.isArray(value)
      ? value.flatMap((item: unknown, index) => required(rule)(item, `${name}[${index}]`))
      : aList(value, name);
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function hasFunctions(value: unknown, names: readonly string[]): boolean {
  const object = value as Readonly<Record<string, unknown>> | null | undefined;
  return names.every((name) => typeof object?.[name] === 'function');
}

function isWithin(value: unknown, min: number, max: number = Number.MAX_VALUE): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

function bounds(min: number, max: number | undefined): string {
  return max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
}
