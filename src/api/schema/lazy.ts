/** Makes the value on first use: schemas and their compiled forms exist once, and no code runs at import. */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/** A function that loads a value on its first call: it returns a promise until the value is loaded, then the value. */
export function loadedOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let value: T | undefined;
  const loading = lazy(() => load().then((loaded) => (value = loaded)));
  return () => value ?? loading();
}
