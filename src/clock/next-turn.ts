/** Calls back in the next turn of the event loop, after what is waiting there now. */
export function atNextTurn(callback: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(callback);
  else setTimeout(callback, 0);
}

/** Lets the event loop do one turn. */
export function nextTurn(): Promise<void> {
  return new Promise(atNextTurn);
}
