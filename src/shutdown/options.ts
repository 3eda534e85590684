import type { ClosableServer } from '../bridge/node/graceful-close.js';
import type { OrderableServer } from '../bridge/node/order-requests.js';
import { aListOfSignals, type ShutdownSignal } from '../bridge/node/process-signals.js';
import type { OpenConnections } from '../bridge/node/track-connections.js';
import { A_SERVER, SERVER_FUNCTIONS, type TrackableServer } from '../bridge/node/trackable.js';
import type { Clock } from '../clock/clock.js';
import type { ShutdownResult } from '../lifecycle/create-lifecycle.js';
import { MAX_MS, type ShutdownStep } from '../lifecycle/options.js';
import type { Observe } from '../observe/observation.js';
import type { OptionRule, OptionRules } from '../options/check-options.js';
import { aBoolean, aClock, aFunction, aListOf, aNumber, anObjectWith, oneOf, required } from '../options/rules.js';

/** A server that {@link installShutdown} can close: `node:http`, `node:https` and `node:http2` servers. */
export type ShutdownServer = ClosableServer & TrackableServer & OrderableServer;

/** The part of a recorder that a shutdown uses. The object of `createRecorder` fits. */
export interface ShutdownRecorder {
  /** Writes the recorded events. */
  readonly flush: (options: {
    /** Aborted after half of `closeTimeoutMs`; the shutdown then continues. */
    readonly signal: AbortSignal;
  }) => Promise<void>;
  /** Writes the remaining events, and accepts no more. */
  readonly close: (options: {
    /** Aborted after a quarter of `closeTimeoutMs`; events that are not written by then are dropped. */
    readonly signal: AbortSignal;
  }) => Promise<void>;
}

/** Options of {@link installShutdown}. */
export interface InstallShutdownOptions {
  /**
   * The server, or all servers, of the service: the result of `createServer()`, `app.listen()` or Hono's `serve()`, or
   * `fastify.server`. Install the shutdown before they have their first connection.
   */
  readonly server: ShutdownServer | readonly ShutdownServer[];
  /** The object of `createHealth`. `/readyz` fails as soon as the shutdown begins. */
  readonly health: {
    /** Makes `/readyz` fail. Called first. */
    readonly startShutdown: () => void;
    /** Stops the checks. Called before the store is closed. */
    readonly close?: (() => void) | undefined;
  };
  /** The object of `createEvents`. Its watches end after the delay. */
  readonly events?:
    | {
        /** Ends open watches. Called after the delay. */
        readonly close: () => void | Promise<void>;
      }
    | undefined;
  /**
   * The recorder, or all recorders, of the service. Recorded events are written before `close`, and events that `close`
   * recorded are written before the store is closed. The first step may take half of `closeTimeoutMs`, the second a
   * quarter; events that are not written by then are dropped.
   */
  readonly recorder?: ShutdownRecorder | readonly ShutdownRecorder[] | undefined;
  /** Closed at the end, when it is no longer used. */
  readonly store?:
    | {
        /** Closes the store. Called last. */
        readonly close: () => void | Promise<void>;
      }
    | undefined;
  /**
   * How long everything is still served after `/readyz` began to fail, in milliseconds. It should be longer than load
   * balancers need to notice. Default: 0, as `--shutdown-delay-duration` of kube-apiserver.
   */
  readonly delayMs?: number | undefined;
  /**
   * How requests are handled between the delay and the end of the requests in flight. `'close'`: the servers stop
   * listening, and requests on open connections are still served, with `Connection: close`. `'retry-after'`: the
   * servers keep listening, and new requests except probes get 429 with `Retry-After: 5` (kube-apiserver's
   * `--shutdown-send-retry-after`). Default: `'close'`.
   */
  readonly whileDraining?: 'close' | 'retry-after' | undefined;
  /**
   * How long requests in flight may take after the delay before their connections are cut, in milliseconds. Default:
   * 60,000.
   */
  readonly drainTimeoutMs?: number | undefined;
  /**
   * How long a connection without a request stays open while draining, in milliseconds; see `gracefulClose`. Default:
   * 2,000.
   */
  readonly idleGraceMs?: number | undefined;
  /** How long closing (`close`, events, store) may take, in milliseconds. Default: 10,000. */
  readonly closeTimeoutMs?: number | undefined;
  /**
   * Runs during the delay; nothing is refused before it has ended. It may take at most `delayMs` + `drainTimeoutMs` +
   * `idleGraceMs` and three seconds; then it is reported as failed, and the shutdown continues.
   */
  readonly beforeStop?: ShutdownStep | undefined;
  /**
   * Closes resources of the service's own routes, such as a database, or is `() => app.close()`. Runs before the store
   * closes, so do not end a pool here that the store uses: pass a `store` whose `close` ends it after the store.
   */
  readonly close?: ShutdownStep | undefined;
  /**
   * The signals that begin the shutdown. The second one ends the process at once (not the same one within 0.2 s, a copy
   * that a launcher may pass on). Default: SIGTERM and SIGINT; `[]` for none.
   */
  readonly signals?: readonly ShutdownSignal[] | undefined;
  /**
   * Whether to end the process after a shutdown that a signal began: with code 0, or with 1 if a step failed. Default:
   * true. With false the process ends when nothing keeps it alive.
   */
  readonly exit?: boolean | undefined;
  /** Called once, at the end of the shutdown. Errors that it throws are ignored. */
  readonly onReport?: ((report: ShutdownReport) => void) | undefined;
  /** Receives failed steps. Default: they are process warnings. */
  readonly observe?: Observe | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The result of a shutdown. */
export interface ShutdownReport {
  /** False when requests were cut. */
  readonly drained: boolean;
  /** The connections and requests that were still open after `drainTimeoutMs` and therefore cut. */
  readonly cut: OpenConnections;
  /** Steps that failed or took too long. They do not stop the others. */
  readonly failures: ShutdownResult['failures'];
  /** How long the shutdown took, in milliseconds. */
  readonly durationMs: number;
}

/** Keeps the drain and the time reserved after it below {@link MAX_MS}, the limit of `createLifecycle`. */
const MAX_DRAIN_MS = 36_000_000;

const aServer = /* @__PURE__ */ anObjectWith(SERVER_FUNCTIONS, `${A_SERVER}, or a list of servers`);

const aRecorder = /* @__PURE__ */ anObjectWith(['flush', 'close'], 'the object of createRecorder, or a list of them');

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

export function oneOrList(rule: OptionRule): OptionRule {
  return (value, name) => (Array.isArray(value) ? aListOf(rule) : rule)(value, name);
}

/** As {@link oneOrList}; an empty list breaks the rule. */
export function oneOrMore(rule: OptionRule): OptionRule {
  return (value, name) => (isEmptyList(value) ? rule : oneOrList(rule))(value, name);
}

export const shutdownRules = (): OptionRules<InstallShutdownOptions> => ({
  server: required(oneOrMore(aServer)),
  health: required(anObjectWith(['startShutdown'], 'the object of createHealth')),
  events: anObjectWith(['close'], 'the object of createEvents'),
  recorder: oneOrList(aRecorder),
  store: anObjectWith(['close'], 'a store'),
  delayMs: aNumber(0, MAX_MS),
  whileDraining: oneOf('close', 'retry-after'),
  drainTimeoutMs: aNumber(0, MAX_DRAIN_MS),
  idleGraceMs: aNumber(0, MAX_DRAIN_MS),
  closeTimeoutMs: aNumber(0, MAX_MS),
  beforeStop: aFunction,
  close: aFunction,
  signals: aListOfSignals,
  exit: aBoolean,
  onReport: aFunction,
  observe: aFunction,
  clock: aClock,
});
