/** Within this time the same signal is a copy, in milliseconds: too short for somebody who insists. */
const COPY_MS = 200;

/** A listener without the copies of a signal: npm, where `sh` is bash, passes on one that the whole group has got. */
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
