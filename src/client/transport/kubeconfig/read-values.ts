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

/** A text, or undefined where it is absent or empty. */
export function textOf({ what, values }: Entry, name: string): string | undefined {
  const value = member(values, name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw kubeconfigFault(`${what}: ${name} must be a text`);
  return value;
}

/** True or false; false where it is absent. */
export function flagOf({ what, values }: Entry, name: string): boolean {
  const value = member(values, name) ?? false;
  if (typeof value !== 'boolean') throw kubeconfigFault(`${what}: ${name} must be true or false`);
  return value;
}

/** A list of texts; empty where it is absent. */
export function textsOf({ what, values }: Entry, name: string): readonly string[] {
  const value = member(values, name) ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw kubeconfigFault(`${what}: ${name} must be a list of texts`);
  }
  return value as string[];
}

/** A list of objects; empty where it is absent. */
export function entriesOf({ what, values, folder }: Entry, name: string): readonly Entry[] {
  const value = member(values, name) ?? [];
  if (!Array.isArray(value) || !value.every(isObject))
    throw kubeconfigFault(`${what}: ${name} must be a list of objects`);
  return value.map((item, index) => ({ what: `${what}: ${name}[${index}]`, values: item as Entry['values'], folder }));
}

/** An object; undefined where it is absent. */
export function entryOf({ what, values, folder }: Entry, name: string): Entry | undefined {
  const value = member(values, name) ?? undefined;
  if (value === undefined) return undefined;
  if (!isObject(value)) throw kubeconfigFault(`${what}: ${name} must be an object`);
  return { what: `${what}: ${name}`, values: value, folder };
}

/** A text in base64, such as a certificate. */
export function dataOf(entry: Entry, name: string): string | undefined {
  const text = textOf(entry, name);
  if (text === undefined) return undefined;
  try {
    return atob(text.replace(/\s+/g, ''));
  } catch {
    throw kubeconfigFault(`${entry.what}: ${name} must be base64`);
  }
}
