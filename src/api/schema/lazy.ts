/**
 * A value made on first use and cached, so that schemas and their compiled forms exist once without any code
 * running at import. The only state is the value itself, which never changes afterwards.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/** What is loaded on first use: a promise until then, and from then on there at once. */
export function loadedOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let value: T | undefined;
  const loading = lazy(() => load().then((loaded) => (value = loaded)));
  return () => value ?? loading();
}
