import { throwFaults } from '../auth/option-faults.js';

/** What an option must be, when it is given: a test, and the words that end the sentence `NAME must be …`. */
export type OptionRule = readonly [fits: (value: unknown) => boolean, mustBe: string];

/** The options a function knows, each with its rule. */
export type OptionRules = Readonly<Record<string, OptionRule>>;

export const A_FUNCTION: OptionRule = [(value: unknown): boolean => typeof value === 'function', 'a function'];
export const A_FLAG: OptionRule = [(value: unknown): boolean => typeof value === 'boolean', 'true or false'];

/** A number within bounds, both included. */
export function aNumber(least: number, most: number): OptionRule {
  return [(value) => typeof value === 'number' && value >= least && value <= most, `a number from ${least} to ${most}`];
}

/** A whole number from 1 up. */
export const A_COUNT: OptionRule = [
  (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1,
  'a whole number from 1 up',
];

/** One of some words. */
export function oneOf(...words: readonly string[]): OptionRule {
  return [(value) => (words as readonly unknown[]).includes(value), words.map((word) => `'${word}'`).join(' or ')];
}

/**
 * Holds options against their rules. Throws one `TypeError` that lists every fault, `more` included.
 *
 * @param required options that must be there
 */
export function checkOptions(
  where: string,
  given: object,
  rules: OptionRules,
  required: readonly string[],
  more: readonly (string | false | undefined)[],
): void {
  if (typeof given !== 'object' || given === null) throwFaults(where, ['the argument must be an object']);
  const options = given as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(options).filter((key) => !Object.hasOwn(rules, key));
  const broken = Object.entries(rules).filter(([key, [fits]]) =>
    options[key] === undefined ? required.includes(key) : !fits(options[key]),
  );
  throwFaults(where, [
    ...unknown.map((key) => `there is no option ${JSON.stringify(key)}`),
    ...broken.map(([key, [, mustBe]]) => `${key} must be ${mustBe}`),
    ...more.filter((fault) => typeof fault === 'string'),
  ]);
}
