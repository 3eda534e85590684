import { isSubdomain } from '../../api/validation/name-forms.js';
import type { Clock } from '../../clock/clock.js';
import type { ApiHandler } from '../../http/handler.js';
import type { Caller } from '../../model/caller.js';
import type { OptionRule, OptionRules } from '../../options/check-options.js';
import {
  aClock,
  aFunction,
  aNonEmptyString,
  aNumber,
  anObject,
  anObjectWith,
  aWholeNumber,
  hasFunctions,
  isNonEmptyString,
  mustBe,
} from '../../options/rules.js';
import type { ConnectedTransport, Transport } from '../contract/transport.js';

/** A server in the same process, as `createEvents` makes it. */
export interface ServedEvents {
  /** The API group. */
  readonly group: string;
  /** A handler for the requests of one caller. */
  as(caller: Pick<Caller, 'name'> & Partial<Caller>): ApiHandler;
}

/** How requests are repeated. */
export interface RetryOptions {
  /** The maximum number of repetitions of a request; 0: none. Default: 5. */
  readonly retries?: number | undefined;
  /**
   * The pause before the first repetition, in milliseconds; each is up to twice as long as the one before.
   * Default: 100.
   */
  readonly firstDelayMs?: number | undefined;
  /** The longest pause, in milliseconds, unless the server requests a longer one. Default: 5,000. */
  readonly longestDelayMs?: number | undefined;
}

/** Options of `createEventsClient`. Give `transport`, or `events` of the same process. */
export interface EventsClientOptions {
  /** Carries the requests, such as `httpTransport({ server })` or `await defaultTransport()`. */
  readonly transport?: Transport | ConnectedTransport | undefined;
  /** A server in the same process, which `createEvents` has made: no socket, and nothing to close. */
  readonly events?: ServedEvents | undefined;
  /**
   * With `events`: the caller. `authorize` of the server decides about it as about any other; `authenticate` is not
   * called. Default: `{ name: 'kube-vitals-client' }`, in the group `system:authenticated` alone.
   */
  readonly caller?: (Pick<Caller, 'name'> & Partial<Caller>) | undefined;
  /**
   * The API group. Default: that of `events`, else `events.k8s.io`, that of Kubernetes. A `kube-vitals` server over
   * HTTP has `events.` and its `apiDomain`.
   */
  readonly group?: string | undefined;
  /** The namespace of calls that name none. Default: that of the transport, such as of a kubeconfig's context. */
  readonly namespace?: string | undefined;
  /** The manager of the fields that are written. Default: `kube-vitals`. */
  readonly fieldManager?: string | undefined;
  /**
   * How long a call may take including retries, in milliseconds; for a list, each page; for a watch, until it begins.
   * Default: 30,000. From 1 to 3,600,000.
   */
  readonly timeoutMs?: number | undefined;
  /** How requests are repeated where that is safe. */
  readonly retry?: RetryOptions | undefined;
  /**
   * The largest response that is read, such as a page of a list, in bytes. A twelfth of it, and at least 500,000, is the
   * maximum number of its fields and items. Default: 67,108,864 (64 MiB).
   */
  readonly maxResponseBytes?: number | undefined;
  /** The largest frame of a watch that is read, in bytes. Default: 4,194,304 (4 MiB). */
  readonly maxFrameBytes?: number | undefined;
  /** Gets the server's warnings, such as of an unknown field; at most 100 texts a response. Its errors are ignored. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** The clock of deadlines and pauses. Default: the system's. */
  readonly clock?: Clock | undefined;
}

const aTransport: OptionRule = (value, name) => {
  if (value === undefined || typeof value === 'function' || hasFunctions(value, ['handle'])) return [];
  const isPromise = hasFunctions(value, ['then']);
  return [`${name} must be a transport${isPromise ? ', not a promise of one: await it' : ''}`];
};

export const aCaller: OptionRule = /* @__PURE__ */ mustBe(
  (value) => isNonEmptyString((value as Partial<Caller> | null)?.name),
  'an object with a name',
);

export const clientRules = (): OptionRules<EventsClientOptions> => ({
  transport: aTransport,
  events: anObjectWith(['as'], 'the events of createEvents'),
  caller: aCaller,
  group: mustBe((value) => typeof value === 'string' && isSubdomain(value), 'an API group, such as events.k8s.io'),
  namespace: aNonEmptyString,
  fieldManager: aNonEmptyString,
  timeoutMs: aNumber(1, 3_600_000),
  retry: anObject<RetryOptions>({
    retries: aWholeNumber(0, 100),
    firstDelayMs: aNumber(1, 600_000),
    longestDelayMs: aNumber(1, 600_000),
  }),
  maxResponseBytes: aWholeNumber(1_024, 536_870_912),
  maxFrameBytes: aWholeNumber(1_024, 536_870_912),
  onWarning: aFunction,
  clock: aClock,
});
