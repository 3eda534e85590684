/** True for promises of any make. Plain values are passed on without waiting, which keeps cheap answers synchronous. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Goes on with a value: synchronously unless it is a promise. Keeps cheap answers synchronous. */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value.then(next)) : next(value);
}

/**
 * Runs `work` and goes on with what it gives, or with what it throws: synchronously unless it gives a promise. `subject` is
 * handed to all three, so that they need not be closures. What `next` throws is not caught.
 */
export function settle<S, T, R>(
  subject: S,
  work: (subject: S) => T | PromiseLike<T>,
  next: (subject: S, value: T) => R | Promise<R>,
  failed: (subject: S, error: unknown) => R | Promise<R>,
): R | Promise<R> {
  let value: T | PromiseLike<T>;
  try {
    value = work(subject);
  } catch (error) {
    return failed(subject, error);
  }
  if (!isPromise(value)) return next(subject, value);
  return Promise.resolve(
    value.then(
      (ready) => next(subject, ready),
      (error: unknown) => failed(subject, error),
    ),
  );
}
