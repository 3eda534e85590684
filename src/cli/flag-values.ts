import { parseGoDuration } from '../time/go-duration.js';

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
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw new Error('must be a whole number from 1');
  return Number(text);
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
