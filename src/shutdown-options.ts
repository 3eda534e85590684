import type { ClosableServer } from './bridge/node/graceful-close.js';
import type { OrderableServer } from './bridge/node/order-requests.js';
import { aListOfSignals, type ShutdownSignal } from './bridge/node/process-signals.js';
import type { OpenConnections, TrackableServer } from './bridge/node/track-connections.js';
import type { Clock } from './clock/clock.js';
import type { ShutdownStep } from './lifecycle/options.js';
import type { Observe } from './observe/observation.js';
import type { OptionRule, OptionRules } from './options/check-options.js';
import { aBoolean, aClock, aFunction, aListOf, aNumber, anObjectWith, oneOf, required } from './options/rules.js';

/** A server that {@link installShutdown} can close: `node:http`, `node:https` and `node:http2` servers. */
export type ShutdownServer = ClosableServer & TrackableServer & OrderableServer;

/** What a shutdown needs of a recorder: that of `createRecorder`. */
export interface ShutdownRecorder {
  /** Writes what was recorded. */
  readonly flush: (options: { readonly signal: AbortSignal }) => Promise<void>;
  /** Writes the rest, and accepts no more. */
  readonly close: (options: { readonly signal: AbortSignal }) => Promise<void>;
}

/** Options of {@link installShutdown}. */
export interface InstallShutdownOptions {
  /**
   * The server, or all servers, of the service: what `createServer()`, `app.listen()`, Hono's `serve()` or `fastify.server`
   * gave. Install the shutdown before they have their first connection.
   */
  readonly server: ShutdownServer | readonly ShutdownServer[];
  /** The object of `createHealth`. `/readyz` fails as soon as the shutdown begins. */
  readonly health: { readonly startShutdown: () => void; readonly close?: (() => void) | undefined };
  /** The object of `createEvents`. Its watches end when the delay is over. */
  readonly events?: { readonly close: () => void | Promise<void> } | undefined;
  /**
   * The recorder, or all recorders, of the service: what was recorded is written before `close`, and what `close` recorded before the
   * store is closed. Half of `closeTimeoutMs` is for the first, a quarter for the second; what is left is dropped.
   */
  readonly recorder?: ShutdownRecorder | readonly ShutdownRecorder[] | undefined;
  /** Closed at the end, when nothing uses it any more. */
  readonly store?: { readonly close: () => void | Promise<void> } | undefined;
  /**
   * How long everything is still served after `/readyz` began to fail, in milliseconds: longer than load balancers need to
   * notice. Default 0, as `--shutdown-delay-duration` of kube-apiserver.
   */
  readonly delayMs?: number | undefined;
  /**
   * What happens to clients between the delay and the end of the requests in flight. `'close'`: the servers stop listening,
   * and requests on open connections are still served, with `Connection: close`. `'retry-after'`: the servers keep
   * listening, and new requests but probes are answered 429 with `Retry-After: 5` (kube-apiserver's
   * `--shutdown-send-retry-after`). Default `'close'`.
   */
  readonly whileDraining?: 'close' | 'retry-after' | undefined;
  /** How long requests in flight may take after the delay before their connections are cut, in milliseconds. Default 60,000. */
  readonly drainTimeoutMs?: number | undefined;
  /** How long a connection without a request stays open while draining, in milliseconds; see `gracefulClose`. Default 2,000. */
  readonly idleGraceMs?: number | undefined;
  /** How long closing (`close`, events, store) may take, in milliseconds. Default 10,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Runs during the delay; nothing is refused before it has ended. */
  readonly beforeStop?: ShutdownStep | undefined;
  /** Closes what the service's own routes needed, such as a database, or `() => app.close()`. Runs before the store closes. */
  readonly close?: ShutdownStep | undefined;
  /** The signals that begin the shutdown. The second one ends the process at once. Default SIGTERM and SIGINT; `[]` for none. */
  readonly signals?: readonly ShutdownSignal[] | undefined;
  /**
   * Whether the process ends when a signal's shutdown has: with code 0, or with 1 if a step failed. Default true. With false
   * it ends when nothing keeps it alive.
   */
  readonly exit?: boolean | undefined;
  /** Called once, at the end of the shutdown. What it throws is ignored. */
  readonly onReport?: ((report: ShutdownReport) => void) | undefined;
  /** Receives failed steps. */
  readonly observe?: Observe | undefined;
  /** Where time is taken from. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** What a shutdown did. */
export interface ShutdownReport {
  /** False when requests were cut. */
  readonly drained: boolean;
  /** What was still open after `drainTimeoutMs` and therefore cut. */
  readonly cut: OpenConnections;
  /** Steps that failed or took too long. They do not stop the others. */
  readonly failures: readonly { readonly step: string; readonly error: unknown }[];
  /** How long the shutdown took, in milliseconds. */
  readonly durationMs: number;
}

const LONGEST_MS = 86_400_000;
/** So that a drain and what follows it stay below the longest time of `createLifecycle`. */
const LONGEST_DRAIN_MS = 36_000_000;

const aServer = /* @__PURE__ */ anObjectWith(
  ['close', 'on', 'prependListener', 'emit'],
  'a server, as createServer(), listen() or serve() returned it, or a list of servers',
);

const aRecorder = /* @__PURE__ */ anObjectWith(['flush', 'close'], 'the object of createRecorder, or a list of them');

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** What the rule takes, or a list of it. */
export function oneOrList(rule: OptionRule): OptionRule {
  return (value, name) => (Array.isArray(value) ? aListOf(rule) : rule)(value, name);
}

/** The rules of the options of {@link installShutdown}. */
export const shutdownRules = (): OptionRules<InstallShutdownOptions> => ({
  server: (value, name) => required(isEmptyList(value) ? aServer : oneOrList(aServer))(value, name),
  health: required(anObjectWith(['startShutdown'], 'the object of createHealth')),
  events: anObjectWith(['close'], 'the object of createEvents'),
  recorder: oneOrList(aRecorder),
  store: anObjectWith(['close'], 'a store'),
  delayMs: aNumber(0, LONGEST_MS),
  whileDraining: oneOf('close', 'retry-after'),
  drainTimeoutMs: aNumber(0, LONGEST_DRAIN_MS),
  idleGraceMs: aNumber(0, LONGEST_DRAIN_MS),
  closeTimeoutMs: aNumber(0, LONGEST_MS),
  beforeStop: aFunction,
  close: aFunction,
  signals: aListOfSignals,
  exit: aBoolean,
  onReport: aFunction,
  observe: aFunction,
  clock: aClock,
});
