import type { OptionRule, OptionRules } from '../options/check-options.js';
import { anObject, aWholeNumber, orInfinity } from '../options/rules.js';

/**
 * Limits on concurrent requests, in total and per caller. A caller is a user name; anonymous callers are distinguished
 * by their address. Reads and writes of the group `system:masters` are never refused, but are scheduled like those of
 * every caller.
 */
export interface InFlightLimitOptions {
  /** Reading requests (get, list and other requests that change nothing). Default: 400, as Kubernetes. */
  readonly reads?: number | undefined;
  /** Changing requests. Default: 200, as Kubernetes. */
  readonly writes?: number | undefined;
  /** Reading requests of one caller. A list that streams is one until its end. Default: half of `reads`: 200. */
  readonly readsPerCaller?: number | undefined;
  /** Changing requests of one caller. Default: half of `writes`: 100. */
  readonly writesPerCaller?: number | undefined;
  /** Open watches. Default: 10,000. */
  readonly watches?: number | undefined;
  /** Open watches of one caller. Default: 2,000. */
  readonly watchesPerCaller?: number | undefined;
  /**
   * Bytes of large bodies: those of requests, and of responses that clients have not read yet. A response of more than
   * 64 KiB counts with all of its bytes until the last one is read; a list counts with the events that it has read
   * ahead, if those exceed 1 MiB. The body of a request of more than 64 KiB counts while it is read and until it is
   * answered, with `maxBodyBytes` if there is no `Content-Length`. The one that reaches the limit is still accepted.
   * Default: 268,435,456 (256 MiB).
   */
  readonly bytes?: number | undefined;
  /** The same for one caller. Default: a quarter of `bytes`: 64 MiB. */
  readonly bytesPerCaller?: number | undefined;
  /**
   * Requests that wait for a place, for the bytes of a response, or to be scheduled; with 0 they are refused instead.
   * Default: 5,000.
   */
  readonly queued?: number | undefined;
  /** Waiting requests of one caller; further ones are refused. Default: 500. */
  readonly queuedPerCaller?: number | undefined;
  /** How long a request may wait before it is refused, in milliseconds. Default: 5,000. */
  readonly queueWaitMs?: number | undefined;
}

function rules(): OptionRules<InFlightLimitOptions> {
  const some = orInfinity(aWholeNumber(1));
  const noneOrSome = orInfinity(aWholeNumber(0));
  return {
    reads: some,
    writes: some,
    readsPerCaller: some,
    writesPerCaller: some,
    watches: some,
    watchesPerCaller: some,
    bytes: some,
    bytesPerCaller: some,
    queued: noneOrSome,
    queuedPerCaller: noneOrSome,
    queueWaitMs: aWholeNumber(1),
  };
}

export const inFlightLimits = (): OptionRule => anObject(rules());

export function readInFlightLimits(
  options: InFlightLimitOptions,
): Readonly<Record<keyof InFlightLimitOptions, number>> {
  const { reads = 400, writes = 200, bytes = 268_435_456 } = options;
  return {
    reads,
    writes,
    readsPerCaller: options.readsPerCaller ?? Math.max(1, Math.floor(reads / 2)),
    writesPerCaller: options.writesPerCaller ?? Math.max(1, Math.floor(writes / 2)),
    watches: options.watches ?? 10_000,
    watchesPerCaller: options.watchesPerCaller ?? 2_000,
    bytes,
    bytesPerCaller: options.bytesPerCaller ?? Math.max(1, Math.floor(bytes / 4)),
    queued: options.queued ?? 5_000,
    queuedPerCaller: options.queuedPerCaller ?? 500,
    queueWaitMs: options.queueWaitMs ?? 5_000,
  };
}
