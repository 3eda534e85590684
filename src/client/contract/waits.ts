/** What requests that are not sent yet wait for, by their signals. */
const waits = new WeakMap<AbortSignal, string>();

/** The request with this signal is not sent yet, for this reason. Returns the function that ends the wait. */
export function beginWait(signal: AbortSignal | undefined, reason: string): () => void {
  if (signal === undefined) return () => undefined;
  waits.set(signal, reason);
  return () => void waits.delete(signal);
}

/** Why the request with this signal has not been sent; undefined if it may have been. */
export const waitOf = (signal: AbortSignal): string | undefined => waits.get(signal);
