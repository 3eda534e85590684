/** Calls back in the next turn of the event loop, after callbacks that are already queued. */
export function atNextTurn(callback: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(callback);
  else setTimeout(callback, 0);
}

/** Waits for the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise(atNextTurn);
}
