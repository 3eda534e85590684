/** Makes the value on first use: schemas and their compiled forms exist once, and no code runs at import. */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/**
 * A function that loads a value on its first call: it returns a promise until the value is loaded, then the value. A
 * failure is not kept: a file of the package cannot be read while the process has too many files open.
 */
export function loadedOnce<T>(load: () => Promise<T>): () => T | Promise<T> {
  let value: T | undefined;
  let loading: Promise<T> | undefined;
  const start = (): Promise<T> =>
    load()
      .then((loaded) => (value = loaded))
      .finally(() => (loading = undefined));
  return () => value ?? (loading ??= start());
}
