/** True for promises of any make. Plain values are passed on without waiting, which keeps cheap answers synchronous. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
