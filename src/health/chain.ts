import { isPromise } from '../http/promise.js';

/** Goes on with a value: at once when it is there, later when it is a promise. Keeps cheap answers synchronous. */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value.then(next)) : next(value);
}
