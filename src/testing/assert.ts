import { isBytes } from '../http/bytes.js';
import { sameBytes } from '../store/contract/keys.js';
import { isStoreError, type StoreError, type StoreErrorCode } from '../store/contract/errors.js';

export function fail(message: string): never {
  throw Object.assign(new Error(message), { name: 'StoreSuiteFailure' });
}

/** The longest text of bytes, and of a whole value, in a message. */
const MAX_BYTES_LENGTH = 200;
const MAX_VALUE_LENGTH = 600;

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** A value on one line, however large: bytes at any depth as text. */
function show(value: unknown): string {
  // The replacer gets the result of `toJSON`, which makes a list of numbers of a Buffer.
  const text = JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, given: unknown) {
    const item = this[name];
    return isBytes(item) ? `bytes ${shortened(new TextDecoder().decode(item), MAX_BYTES_LENGTH)}` : given;
  }) as string | undefined;
  return shortened(text ?? String(value), MAX_VALUE_LENGTH);
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) fail(message);
}

function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (isBytes(one)) return isBytes(other) && sameBytes(one, other);
  const defined = (value: object): [string, unknown][] =>
    Object.entries(value).filter(([, item]) => item !== undefined);
  const entries = defined(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    entries.length === defined(other).length &&
    entries.every(([key, item]) => Object.hasOwn(other, key) && same(item, (other as Record<string, unknown>)[key]))
  );
}

/** Fails the test unless both are equal by value: bytes by content, objects by their defined properties. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  if (!same(actual, expected)) fail(`${what}: expected ${show(expected)}, got ${show(actual)}`);
}

export async function assertStoreError(
  promise: Promise<unknown>,
  code: StoreErrorCode,
  what: string,
): Promise<StoreError> {
  const error = await assertRejects(promise, `${what} should fail with ${code}`);
  if (!isStoreError(error)) fail(`${what}: expected a StoreError ${code}, got ${String(error)}`);
  assertEqual(error.code, code, `${what}: code`);
  return error;
}

export async function assertRejects(promise: Promise<unknown>, what: string): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  return fail(`${what}, but it returned ${show(value)}`);
}

/** Fails when the promise is not settled in time. The limit catches stores that hang; it does not measure speed. */
export async function inTime<T>(promise: Promise<T>, what: string, limitMs = 5000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing happened for ${limitMs} ms`)), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
