import type { OptionRule } from '../../options/check-options.js';
import { aWholeNumber } from '../../options/rules.js';
import { parseGoDuration } from '../../time/go-duration.js';

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
export function readCount(text: string): number {
  return checked(aWholeNumber(1, 999_999_999), /^\d+$/.test(text) ? Number(text) : NaN);
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
