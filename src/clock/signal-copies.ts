/** Within this time the same signal is a copy, in milliseconds: too short for somebody who insists. */
const COPY_MS = 200;

/**
 * Returns a listener without the copies of a signal: what starts a process may pass on a signal that the process has
 * got as well, as npm does where `sh` is bash, when a terminal or systemd sends it to the whole group.
 */
export function withoutCopies<Signal>(listener: (signal: Signal) => void): (signal: Signal) => void {
  let last: Signal | undefined;
  let before = 0;
  return (signal) => {
    const now = performance.now();
    if (signal === last && now < before) return;
    last = signal;
    before = now + COPY_MS;
    listener(signal);
  };
}
