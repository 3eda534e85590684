import type { AbortCode } from '../model/abort-code.js';
import type { Event } from '../model/event.js';
import { callHook } from './call-hook.js';
import { createWarnings } from './warnings.js';

/** Something that the library reports to the service that embeds it. New types may be added in any release. */
export type Observation =
  /** An unexpected error: the client got a bare 500, or nothing. Without `observe`, see {@link Observe}. */
  | {
      readonly type: 'error';
      readonly error: unknown;
      readonly where: string;
      /**
       * For retried work, such as the expiry while a store is unavailable: how often it has failed in a row. The same failure is
       * reported once; another reason is reported with the count so far, and the end as `recovered`.
       */
      readonly count?: number | undefined;
    }
  /** Work that was reported as an `error` with a `count` succeeds again. */
  | {
      readonly type: 'recovered';
      readonly where: string;
      /** The last failure. */
      readonly error: unknown;
      /** How often it failed in a row. */
      readonly count: number;
      /** From the first failure on, in milliseconds. */
      readonly durationMs: number;
    }
  /**
   * A health endpoint responded with a failure: the reasons that the response withholds, one per failing check. `error` is
   * what the check threw, for loggers that print stacks and causes.
   */
  | {
      readonly type: 'health.failed';
      readonly root: 'healthz' | 'livez' | 'readyz';
      readonly failures: readonly { readonly name: string; readonly reason: string; readonly error?: unknown }[];
    }
  /** A check changed its status. */
  | {
      readonly type: 'health.changed';
      readonly check: string;
      readonly status: 'ok' | 'degraded' | 'failed';
      readonly reason?: string | undefined;
      /** What the check threw, rejected with or returned as an `Error`. */
      readonly error?: unknown;
    }
  /**
   * A health endpoint was asked, and these are the results of its checks; those excluded are not among them. The same frozen array
   * each time, until a check changes its status.
   */
  | {
      readonly type: 'health.probed';
      readonly root: 'healthz' | 'livez' | 'readyz';
      readonly checks: readonly { readonly name: string; readonly status: 'ok' | 'degraded' | 'failed' }[];
    }
  | RequestObservation
  /** A watch began to stream. */
  | ({ readonly type: 'watch.started' } & WatchIdentity)
  /** A watch ended. */
  | ({
      readonly type: 'watch.ended';
      /**
       * `timeout`: its time was up. `error`: it was sent an ERROR frame. `limit`: no room for unread bytes. `feed`: the hub ended
       * it. Otherwise the `code` with which the bridge aborted the request, such as `client-left`.
       */
      readonly reason: 'timeout' | 'error' | 'limit' | 'feed' | 'aborted' | AbortCode;
      /** Frames sent, bookmarks and initial events included. */
      readonly frames: number;
      readonly bytes: number;
      readonly durationMs: number;
    } & WatchIdentity)
  /** What the Event API is doing, at most once a second, and once more when it has become quiet. */
  | {
      readonly type: 'activity';
      /** The most requests of each kind that were in flight since the last observation. Callers in `system:masters` do not count. */
      readonly inFlight: { readonly read: number; readonly write: number; readonly watch: number };
      /** Frames and bytes sent to watches since the last observation. */
      readonly sent: readonly {
        readonly group: string;
        readonly version: string;
        readonly frames: number;
        readonly bytes: number;
      }[];
      /** The buffer of recent changes. Its `maxBytes` is the option of the hub. */
      readonly ring: { readonly changes: number; readonly bytes: number; readonly maxBytes: number };
    }
  /** A call of the store ended. Calls that an engine answers synchronously (the memory store's reads) are not observed. */
  | {
      readonly type: 'store';
      readonly store: string;
      readonly operation: 'get' | 'list' | 'create' | 'replace' | 'remove' | 'expire' | 'revision' | 'ping' | 'now';
      /** `ok`, the code of a `StoreError`, `aborted` when the caller gave up, or `error` for anything else. */
      readonly outcome: string;
      readonly durationMs: number;
    }
  /** The feed of the store delivered changes to the watch hub. */
  | {
      readonly type: 'feed';
      readonly store: string;
      readonly changes: number;
      /** From the answer to a write of this process until the feed delivered it; absent when no such write was among the changes. */
      readonly lagMs?: number | undefined;
    }
  /** Expired events were removed. */
  | { readonly type: 'expired'; readonly store: string; readonly removed: number }
  /**
   * The watch cache of a store (`cachedStore`) has changed its state: `filling` and `full` mean that reads go through
   * to the store, `stale` that the store is unavailable and reads show what was last seen. With `stale` and `full`,
   * `error` is the reason.
   */
  | {
      readonly type: 'cache.changed';
      readonly store: string;
      readonly state: 'filling' | 'ready' | 'stale' | 'full';
      readonly events: number;
      /** The memory that the cache uses. */
      readonly bytes: number;
      readonly error?: unknown;
    }
  /** What a watch cache received since the last observation, and holds: at most once a second, and once more when it has become quiet. */
  | {
      readonly type: 'cache.activity';
      readonly store: string;
      /** Changes that the feed of the store brought. */
      readonly changes: number;
      readonly events: number;
      /** The memory that the cache uses. */
      readonly bytes: number;
      /** For how long it has been behind a revision that is known to exist; 0 where it is not. */
      readonly lagMs: number;
      /** The revision up to which it has every change; absent while it has none. */
      readonly revision?: number | undefined;
    }
  /**
   * A read waited until the watch cache was as fresh as it has to be. `cache`: it was answered from there, `store`: from the
   * store, because that took too long, `failed`: not at all. Reads that did not have to wait are not observed.
   */
  | {
      readonly type: 'cache.waited';
      readonly store: string;
      readonly durationMs: number;
      readonly outcome: 'cache' | 'store' | 'failed';
    }
  /** What a recorder was given and has written since the last observation: at most once a second, and once more when it ends. */
  | {
      readonly type: 'recorder.activity';
      /** Its `reportingController`. */
      readonly recorder: string;
      readonly recorded: number;
      readonly written: number;
      /** Recorded, and neither written nor dropped. */
      readonly pending: number;
      /** Requests that wait or are under way. */
      readonly queued: number;
    }
  /** A recorder has dropped events: the first of a reason at once, further ones together after a second. */
  | {
      readonly type: 'recorder.dropped';
      /** Its `reportingController`. */
      readonly recorder: string;
      readonly reason: 'invalid' | 'full' | 'rate-limited' | 'refused' | 'expired' | 'closed';
      readonly count: number;
      /** The reason; of several, the last. */
      readonly error: unknown;
      /** The event, of several the last one. Absent where it was too invalid to be made. */
      readonly event?: Event | undefined;
    };

/** A request to the Event API was answered (a watch: when it began). */
export interface RequestObservation {
  /** Always `request`. */
  readonly type: 'request';
  /** As authorizers know it, such as `get`; outside of the resource the method of the request in lower case. */
  readonly verb: string;
  /** The HTTP status code. */
  readonly status: number;
  /** How long the request took, in milliseconds. */
  readonly durationMs: number;
  /** The `Audit-Id` of the response. */
  readonly auditId: string;
  /** The name of the caller; absent before authentication. */
  readonly caller?: string | undefined;
  /** The real caller, if the caller was impersonated. */
  readonly impersonator?: string | undefined;
  /** As the client sent it. It may hold names and selectors of users. */
  readonly url: string;
  /** Group and version of the path, `''` outside of the resource. */
  readonly group: string;
  /** The served version, such as `v1`. */
  readonly version: string;
  /** `events`, or `''` for documents about the API and paths that are no resource. */
  readonly resource: string;
  /** As the client wrote it: unbounded. `''` for all. */
  readonly namespace: string;
  /** As kube-apiserver's metrics have it: one event, a namespace, all namespaces, or no resource. */
  readonly scope: 'resource' | 'namespace' | 'cluster' | '';
  /** `?dryRun=` as kube-apiserver's metrics have it. */
  readonly dryRun: '' | 'All' | 'invalid';
  /** The length of the body of the response; absent where it is streamed. */
  readonly responseBytes?: number | undefined;
}

/** Which watch it is. */
export interface WatchIdentity {
  /** The name of the caller. */
  readonly caller: string;
  /** The API group. */
  readonly group: string;
  /** The served version. */
  readonly version: string;
  /** The namespace that is watched; empty for all. */
  readonly namespace: string;
  /** How far the request reaches, as metrics of kube-apiserver name it. */
  readonly scope: 'resource' | 'namespace' | 'cluster' | '';
}

/**
 * Receives observations. It may return a promise: while one is pending for two minutes, the `log` health check fails
 * (logging blocked). What it throws is ignored.
 *
 * Without a hook the first `error` of each place (`where`) is a warning of the process (`process.emitWarning`, code
 * `KUBE_VITALS_ERROR`), where the runtime has them. Nothing else is reported.
 */
export type Observe = (observation: Observation) => void | Promise<void>;

/** Receives what happens to watches. */
export interface WatchObserver {
  readonly notify: Notify;
  /** Counts frames and bytes, which are too many to be observed one by one. */
  readonly sent: (group: string, version: string, frames: number, bytes: number) => void;
}

/** Calls a hook and ignores what it throws or rejects with. */
export type Notify = (observation: Observation) => void;

/** Wraps the hook of a service so that it never throws. Without a hook, errors become warnings of the process. */
export function createNotifier(observe: Observe = createWarnings()): Notify {
  return (observation) => void callHook(() => observe(observation));
}
