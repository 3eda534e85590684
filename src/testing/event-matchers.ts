import type { Event } from '../model/event.js';
import type { TestRecorder } from './test-recorder.js';

/**
 * What an event must have: the fields that are named, and of objects the members that are named. Texts may be
 * expressions.
 */
export type ExpectedEvent = {
  readonly [Name in keyof Event]?: ExpectedValue<Event[Name]> | undefined;
};

/** What a field must be: a text or an expression, an object with some members, or the value. */
export type ExpectedValue<T> = T extends string
  ? T | RegExp
  : T extends object
    ? { readonly [Name in keyof T]?: ExpectedValue<T[Name]> | undefined }
    : T;

/** What {@link eventMatchers} adds to `expect`. */
export interface EventMatchers<R = unknown> {
  /** An event was recorded that has these fields; with `times`, exactly so often. */
  toHaveRecorded(expected: ExpectedEvent, times?: number): R;
}

/** The result of a matcher. */
export interface MatcherResult {
  /** Whether it holds. */
  readonly pass: boolean;
  /** The message of a failure. */
  readonly message: () => string;
}

declare global {
  // Jest's types are these, and Vitest's extend them: this is known to both, and to projects with neither.
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the name that both have
  namespace jest {
    // eslint-disable-next-line @typescript-eslint/no-unused-vars, @typescript-eslint/no-empty-object-type -- as Jest declares it
    interface Matchers<R, T = {}> extends EventMatchers<R> {}
  }
}

/**
 * Matchers for Vitest and Jest: `expect.extend(eventMatchers)`, then
 * `expect(recorder).toHaveRecorded({ reason: 'Paid', regarding: { name: 'o-1' } })`.
 */
export const eventMatchers: {
  /** Passes if the test recorder has an event with these fields; with `times`, exactly so many. */
  readonly toHaveRecorded: (received: unknown, expected: ExpectedEvent, times?: number) => MatcherResult;
} = {
  toHaveRecorded(received, expected, times) {
    const { recorded } = (received ?? {}) as Partial<TestRecorder>;
    if (!Array.isArray(recorded)) throw new TypeError('toHaveRecorded: expect a recorder of testRecorder()');
    const all: readonly Event[] = recorded;
    const found = all.filter((event) => fits(event, expected)).length;
    const wanted = times === undefined ? '' : ` ${times} times`;
    return {
      pass: times === undefined ? found > 0 : found === times,
      message: () =>
        `expected${wanted}: ${shown(expected)}\nfound ${found} among ${all.length} events:\n${all.map((event) => `  ${line(event)}`).join('\n')}`,
    };
  },
};

function fits(value: unknown, expected: unknown): boolean {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return typeof value === 'string' && value.search(expected) >= 0;
  if (typeof expected !== 'object' || expected === null) return value === expected;
  // expect.stringContaining and the like.
  const { asymmetricMatch } = expected as { readonly asymmetricMatch?: (value: unknown) => boolean };
  if (typeof asymmetricMatch === 'function') return asymmetricMatch.call(expected, value);
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(expected).every(([name, part]) => fits((value as Readonly<Record<string, unknown>>)[name], part))
  );
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) => (part instanceof RegExp ? String(part) : part));

const line = ({ type, reason, action, regarding, note = '' }: Event): string =>
  `${type} ${reason} ${action} ${regarding?.kind}/${regarding?.name}: ${note}`;
