/**
 * A value made on first use and cached, so that schemas and their compiled forms exist once without any code
 * running at import. The only state is the value itself, which never changes afterwards.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
