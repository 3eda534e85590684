/** True for any promise. Other values need no `await`, which keeps cheap responses synchronous. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/**
 * Runs `work` and continues with its result or its error: synchronously unless the result is a promise. `subject` is
 * passed to all three, so that they need not be closures. Errors of `next` propagate.
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
  return Promise.resolve(value).then(
    (ready) => next(subject, ready),
    (error: unknown) => failed(subject, error),
  );
}

/** Starts the work at the first call. Every call returns the same promise, also one from the work itself. */
export function startOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    if (result !== undefined) return result;
    let become: (started: Promise<T>) => void = () => undefined;
    result = new Promise((resolve) => (become = resolve));
    become(work());
    return result;
  };
}
