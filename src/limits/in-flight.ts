import { throwFaults } from '../auth/option-faults.js';
import { MASTERS } from '../auth/well-known.js';
import type { Caller } from '../model/caller.js';

/** How much is served at a time. */
export interface InFlightLimitOptions {
  /** Reading requests (get, list and whatever changes nothing). Default 400, as Kubernetes. */
  readonly reads?: number | undefined;
  /** Changing requests. Default 200, as Kubernetes. */
  readonly writes?: number | undefined;
  /** Open watches. Default 10,000. */
  readonly watches?: number | undefined;
  /** Open watches of one caller (by user name). Default 2,000. */
  readonly watchesPerCaller?: number | undefined;
}

/** Gives a place back. Harmless when called twice. */
export type Release = () => void;

/** Counts what is being served. `undefined` means *no place*: answer `tooManyRequestsText()`. */
export interface InFlightLimits {
  /** Takes a place for a request that ends soon. Group `system:masters` always gets one, and none is counted for it. */
  enterRequest(kind: 'read' | 'write', caller: Caller): Release | undefined;
  /** Takes a place for a watch, for as long as it is open. Holds for everybody. */
  enterWatch(caller: Caller): Release | undefined;
}

const DEFAULTS = { reads: 400, writes: 200, watches: 10_000, watchesPerCaller: 2_000 } as const;
type LimitName = keyof typeof DEFAULTS;

const nothing: Release = () => undefined;

/**
 * Makes the counters of one server. Requests beyond a limit are refused at once, never queued.
 *
 * @throws TypeError listing every limit that is not a positive whole number
 */
export function createInFlightLimits(options: InFlightLimitOptions = {}): InFlightLimits {
  const limits = readLimits(options);
  const busy = { read: 0, write: 0 };
  const most = { read: limits.reads, write: limits.writes };
  let watches = 0;
  const watchesOf = new Map<string, number>();

  return {
    enterRequest(kind, caller) {
      if (caller.groups.includes(MASTERS)) return nothing;
      if (busy[kind] >= most[kind]) return undefined;
      busy[kind] += 1;
      let held = true;
      return () => {
        if (held) busy[kind] -= 1;
        held = false;
      };
    },
    enterWatch({ name }) {
      const own = watchesOf.get(name) ?? 0;
      if (watches >= limits.watches || own >= limits.watchesPerCaller) return undefined;
      watches += 1;
      watchesOf.set(name, own + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        watches -= 1;
        const left = (watchesOf.get(name) ?? 1) - 1;
        if (left === 0) watchesOf.delete(name);
        else watchesOf.set(name, left);
      };
    },
  };
}

/** What is wrong with the options, one sentence a fault. */
export function inFlightLimitFaults(options: InFlightLimitOptions): readonly string[] {
  return (Object.keys(DEFAULTS) as LimitName[]).flatMap((name) => {
    const value: unknown = options[name];
    const whole = typeof value === 'number' && (Number.isSafeInteger(value) || value === Infinity) && value > 0;
    return value === undefined || whole ? [] : [`${name} must be a positive whole number, or Infinity for no limit`];
  });
}

function readLimits(options: InFlightLimitOptions): Readonly<Record<LimitName, number>> {
  throwFaults('limits', inFlightLimitFaults(options));
  const given = Object.entries(options).filter(([name, value]) => name in DEFAULTS && value !== undefined);
  return { ...DEFAULTS, ...(Object.fromEntries(given) as Partial<Record<LimitName, number>>) };
}
