import { onAbort } from '../../clock/abortable.js';
import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { EventsClient, WatchFrame, WatchOptions } from '../contract/events-client.js';
import { failure } from './refusals.js';
import type { SilenceLimit } from './silence.js';

interface ConnectionDependencies {
  readonly client: EventsClient;
  readonly watch: Omit<WatchOptions, 'signal'>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly silence: SilenceLimit;
  readonly limitMs: () => number;
}

const silent = (ms: number): Error => failure('silent', `the watch was silent for ${Math.round(ms)} ms`);

/** Opens a watch, and measures silence only while `next` waits, without the time of a slow consumer. */
export function openConnection({ client, watch, signal, clock, silence, limitMs }: ConnectionDependencies) {
  const stopping = new AbortController();
  const unlisten = onAbort(signal, () => stopping.abort(signal.reason));
  const frames = client.watch({ ...watch, signal: stopping.signal })[Symbol.asyncIterator]();
  let waited = 0;
  let since: number | undefined;
  let fail: ((error: unknown) => void) | undefined;
  let timer: ClockTimer | undefined;
  let due = 0;

  // One timer for many frames: it is set again only when it fires too early, or would fire too late.
  const setTimer = (moment: number): void => {
    timer?.cancel();
    due = moment;
    timer = clock.setTimer(look, due - clock.monotonic());
  };
  const look = (): void => {
    timer = undefined;
    if (since === undefined) return;
    const moment = since + limitMs();
    if (moment > clock.monotonic()) setTimer(moment);
    else fail?.(silent(clock.monotonic() - since));
  };
  // The client may be slow to react to its signal.
  stopping.signal.addEventListener('abort', () => fail?.(stopping.signal.reason), { once: true });

  const endWait = (): void => {
    if (since !== undefined) waited += clock.monotonic() - since;
    since = undefined;
    fail = undefined;
  };
  /** The wait for one frame, which `look` and the signal end through `fail`. */
  const wait = (resolve: (frame: WatchFrame | undefined) => void, reject: (error: unknown) => void): void => {
    stopping.signal.throwIfAborted();
    since = clock.monotonic();
    const moment = since + limitMs();
    if (timer === undefined || due > moment) setTimer(moment);
    fail = (error) => {
      endWait();
      reject(error);
    };
    frames.next().then(
      ({ done, value }) => {
        endWait();
        if (done) return resolve(undefined);
        silence.frame(value.type === 'BOOKMARK', clock.monotonic());
        resolve(value);
      },
      (error: unknown) => fail?.(error),
    );
  };

  return {
    /** The next frame, or `undefined` when the server has ended the watch. Nothing is read ahead. */
    next: (): Promise<WatchFrame | undefined> => new Promise(wait),
    /** How long `next` has waited in total, in milliseconds, without the time the consumer took for its own work. */
    waitedMs: (): number => waited + (since === undefined ? 0 : clock.monotonic() - since),
    /** The failure that `next` rejects with, for waits that are too long in total. */
    tooLong: (): Error => silent(waited),
    close(): void {
      timer?.cancel();
      unlisten();
      stopping.abort();
      frames.return?.().then(undefined, () => undefined);
    },
  };
}
