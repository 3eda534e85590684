/** Lets go of a source that nobody will read, started or not. */
export function releaseSource(source: AsyncIterable<Uint8Array>): void {
  try {
    releaseIterator(source[Symbol.asyncIterator]());
  } catch {
    // It could not even begin.
  }
}

/**
 * Tells an iterator that nobody asks for more. Never awaited: a parked generator settles this only after its source has
 * ended on the signal. What it answers is nobody's business any more.
 */
export function releaseIterator(iterator: AsyncIterator<Uint8Array> | undefined): void {
  try {
    iterator?.return?.()?.then(undefined, () => undefined);
  } catch {
    // As above.
  }
}
