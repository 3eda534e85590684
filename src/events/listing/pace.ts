import type { Clock } from '../../clock/clock.js';
import { nextTurn } from '../../clock/next-turn.js';
import type { RequestLife } from '../request/request-life.js';

/** So long one request works at a stretch, in milliseconds: the event loop is everybody's. */
const STRETCH_MS = 5;

/** How one request shares the event loop with others, however much it has to look at. */
export interface Pace {
  /** True when it has worked long enough: who goes on waits for {@link rest} first. */
  due(): boolean;
  /** Lets others work. @throws the reason of the request's end, if that has come */
  rest(): Promise<void>;
  /** Asked where further work begins. @throws the reason of the request's end, if that has come */
  requireGoingOn(): void;
}

/** Makes the pace of a request that begins to work now. */
export function createPace(clock: Clock, life: Pick<RequestLife, 'throwIfAborted'>): Pace {
  let began = clock.monotonic();
  const requireGoingOn = (): void => life.throwIfAborted();
  return {
    due: () => clock.monotonic() - began >= STRETCH_MS,
    async rest() {
      await nextTurn();
      began = clock.monotonic();
      requireGoingOn();
    },
    requireGoingOn,
  };
}
