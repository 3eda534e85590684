/** True for promises of any make. Plain values are passed on without waiting, which keeps cheap answers synchronous. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Goes on with a value: at once when it is there, later when it is a promise. Keeps cheap answers synchronous. */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value.then(next)) : next(value);
}
