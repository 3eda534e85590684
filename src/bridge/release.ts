/** Releases a source that will not be read, started or not. */
export function releaseSource(source: AsyncIterable<Uint8Array>): void {
  try {
    releaseIterator(source[Symbol.asyncIterator]());
  } catch {
    // It could not even begin.
  }
}

/**
 * Tells an iterator that it is no longer needed. Never awaited: a parked generator settles this only after its source has
 * ended on the signal. Its result is ignored.
 */
export function releaseIterator(iterator: AsyncIterator<Uint8Array> | undefined): void {
  try {
    iterator?.return?.()?.then(undefined, () => undefined);
  } catch {
    // As above.
  }
}
