import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { PlaceKind } from '../../limits/in-flight.js';
import type { Notify } from '../../observe/observation.js';
import type { WatchHub } from '../../store/watch/watch-hub.js';

/** kube-apiserver's gauge of requests in flight also shows the peak of one second. */
const PERIOD_MS = 1_000;

/** Reports once a second what happens too often for an observation each. The timer runs only during activity. */
export function createActivity(clock: Clock, notify: Notify, ring: WatchHub['ring']) {
  let now: Readonly<Record<PlaceKind, number>> = { read: 0, write: 0, watch: 0 };
  let peak: Record<PlaceKind, number> = { ...now };
  const sent = new Map<string, { group: string; version: string; frames: number; bytes: number }>();
  let timer: ClockTimer | undefined;
  let busy = false;

  const report = (): void => {
    notify({ type: 'activity', inFlight: peak, sent: [...sent.values()], ring: ring() });
    // Not a copy of the whole object, which counts bytes as well.
    peak = { read: now.read, write: now.write, watch: now.watch };
    sent.clear();
    // Reports once more after the activity has ended, so that gauges return to the current values.
    timer = busy ? clock.setTimer(report, PERIOD_MS) : undefined;
    busy = false;
  };
  const happens = (): void => {
    busy = true;
    timer ??= clock.setTimer(report, PERIOD_MS);
  };

  return {
    /** Called when a place in flight is acquired. `held`: the number of acquired places, always the same object. */
    taken(kind: PlaceKind, held: Readonly<Record<PlaceKind, number>>): void {
      now = held;
      if (held[kind] > peak[kind]) peak[kind] = held[kind];
      if (!busy) happens();
    },
    sent(group: string, version: string, frames: number, bytes: number): void {
      const key = `${group}/${version}`;
      let sum = sent.get(key);
      if (sum === undefined) sent.set(key, (sum = { group, version, frames: 0, bytes: 0 }));
      sum.frames += frames;
      sum.bytes += bytes;
      if (!busy) happens();
    },
    close: (): void => timer?.cancel(),
  };
}
