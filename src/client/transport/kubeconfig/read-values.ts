import { isObject, member, type JsonObject } from '../../../json/json-tree.js';

/** An object of a kubeconfig, and where it came from. */
export interface Entry {
  /** For errors, such as `the user "jane"`. */
  readonly what: string;
  readonly values: JsonObject;
  /** The folder that paths are relative to; undefined for a text without a file. */
  readonly folder: string | undefined;
}

/** A fault of a kubeconfig. Only names are repeated: values may be secret. */
export const kubeconfigFault = (message: string): Error => new Error(`kubeconfig: ${message}`);

function read<Value>(
  { what, values }: Entry,
  name: string,
  absent: Value,
  fits: (value: unknown) => boolean,
  words: string,
): Value {
  const value = member(values, name) ?? absent;
  if (value !== absent && !fits(value)) throw kubeconfigFault(`${what}: ${name} must be ${words}`);
  return value as Value;
}

const isText = (value: unknown): boolean => typeof value === 'string';

export const textOf = (entry: Entry, name: string): string | undefined =>
  read(entry, name, '', isText, 'a string') || undefined;

/** The words for booleans in YAML 1.1, which kubectl reads. */
const IS_YES = /^(y|yes|on)$/i;
const IS_NO = /^(n|no|off)$/i;

export function flagOf(entry: Entry, name: string): boolean {
  const isFlag = (value: unknown): boolean =>
    typeof value === 'boolean' || (typeof value === 'string' && (IS_YES.test(value) || IS_NO.test(value)));
  const value = read<boolean | string>(entry, name, false, isFlag, 'true or false');
  return typeof value === 'string' ? IS_YES.test(value) : value;
}

export const textsOf = (entry: Entry, name: string): readonly string[] =>
  read(entry, name, [], (value) => Array.isArray(value) && value.every(isText), 'a list of strings');

export function entriesOf(entry: Entry, name: string): readonly Entry[] {
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isObject);
  const items = read<readonly JsonObject[]>(entry, name, [], isList, 'a list of objects');
  return items.map((values, index) => ({ ...entry, what: `${entry.what}: ${name}[${index}]`, values }));
}

export function entryOf(entry: Entry, name: string): Entry | undefined {
  const values = read<JsonObject | undefined>(entry, name, undefined, isObject, 'an object');
  return values && { ...entry, what: `${entry.what}: ${name}`, values };
}

/** A text in UTF-8 and base64, such as a certificate. */
export function dataOf(entry: Entry, name: string): string | undefined {
  const text = textOf(entry, name);
  if (text === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    throw kubeconfigFault(`${entry.what}: ${name} must be base64`);
  }
}
