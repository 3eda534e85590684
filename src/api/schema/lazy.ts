/**
 * A value made on first use and remembered: how schemas and what is compiled from them exist once without any code
 * running at import. The only state is the value itself, which never changes after it was made.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
