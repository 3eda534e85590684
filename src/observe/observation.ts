import type { AbortCode } from '../model/abort-code.js';
import type { Event } from '../model/event.js';
import { callHook } from './call-hook.js';
import { createWarnings } from './warnings.js';

/** Something that the library reports to the service that embeds it. New types may be added in any release. */
export type Observation =
  /** An unexpected error: the client got a bare 500, or no response. Without `observe`, see {@link Observe}. */
  | {
      /** Always `error`. */
      readonly type: 'error';
      /** What was thrown or rejected with. */
      readonly error: unknown;
      /** The part of the library, such as `events`, or its call of the service, such as `events: authorize`. */
      readonly where: string;
      /**
       * For retried work, such as the expiry while a store is unavailable: how often it has failed in a row. Each
       * reason is reported once, with the count so far, and the end of the failures as `recovered`.
       */
      readonly count?: number | undefined;
    }
  /** Work that was reported as an `error` with a `count` succeeds again. */
  | {
      /** Always `recovered`. */
      readonly type: 'recovered';
      /** The `where` of the errors. */
      readonly where: string;
      /** The last failure. */
      readonly error: unknown;
      /** How often it failed in a row. */
      readonly count: number;
      /** From the first failure on, in milliseconds. */
      readonly durationMs: number;
    }
  /**
   * A health endpoint responded with a failure: the reasons that the response withholds, one per failing check. `error`
   * is what the check threw, for loggers that print stacks and causes.
   */
  | {
      /** Always `health.failed`. */
      readonly type: 'health.failed';
      /** The endpoint, also where a single check below it was requested. */
      readonly root: 'healthz' | 'livez' | 'readyz';
      /** The failed checks, without degraded and excluded ones. */
      readonly failures: readonly {
        /** The name of the check. */
        readonly name: string;
        /** Why it failed. */
        readonly reason: string;
        /** What it threw, rejected with or returned as an `Error`; absent if there was no error. */
        readonly error?: unknown;
      }[];
    }
  /** A check changed its status. */
  | {
      /** Always `health.changed`. */
      readonly type: 'health.changed';
      /** The name of the check. */
      readonly check: string;
      /** Its new status. */
      readonly status: 'ok' | 'degraded' | 'failed';
      /** Why it is degraded or failed; absent for `ok`. */
      readonly reason?: string | undefined;
      /** What the check threw, rejected with or returned as an `Error`. */
      readonly error?: unknown;
    }
  /** A check was removed. */
  | {
      /** Always `health.removed`. */
      readonly type: 'health.removed';
      /** The name of the check. */
      readonly check: string;
    }
  /**
   * A health endpoint was requested. `checks` are the results of its checks, without the excluded ones: the same frozen
   * array each time, until a check is added, removed, or changes its status.
   */
  | {
      /** Always `health.probed`. */
      readonly type: 'health.probed';
      /** The endpoint. */
      readonly root: 'healthz' | 'livez' | 'readyz';
      /** The results, in order of registration. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name: string;
        /** Its status. */
        readonly status: 'ok' | 'degraded' | 'failed';
      }[];
    }
  | RequestObservation
  /** A watch began to stream. */
  | ({
      /** Always `watch.started`. */
      readonly type: 'watch.started';
    } & WatchIdentity)
  /** A watch ended. */
  | ({
      /** Always `watch.ended`. */
      readonly type: 'watch.ended';
      /**
       * `timeout`: its time was over. `error`: an ERROR frame was sent. `limit`: the limit of unread bytes was reached.
       * `feed`: the hub ended it. Otherwise the `code` with which the bridge aborted the request, such as
       * `client-left`.
       */
      readonly reason: 'timeout' | 'error' | 'limit' | 'feed' | 'aborted' | AbortCode;
      /** Frames sent, bookmarks and initial events included. */
      readonly frames: number;
      /** Bytes of these frames. */
      readonly bytes: number;
      /** How long the watch streamed, in milliseconds. */
      readonly durationMs: number;
    } & WatchIdentity)
  /** The activity of the Event API: at most once a second, and once more when it has become idle. */
  | {
      /** Always `activity`. */
      readonly type: 'activity';
      /**
       * The most requests of each kind that were in flight since the last observation. Reads and writes of callers in
       * `system:masters` do not count.
       */
      readonly inFlight: {
        /** Requests that read, without watches. */
        readonly read: number;
        /** Requests that write. */
        readonly write: number;
        /** Watches. */
        readonly watch: number;
      };
      /** Frames and bytes sent to watches since the last observation. */
      readonly sent: readonly {
        /** The API group of the watches. */
        readonly group: string;
        /** Their version. */
        readonly version: string;
        /** Frames sent, bookmarks and initial events included. */
        readonly frames: number;
        /** Bytes of these frames. */
        readonly bytes: number;
      }[];
      /** The buffer of recent changes. Its `maxBytes` is the option of the hub. */
      readonly ring: {
        /** How many changes it holds. */
        readonly changes: number;
        /** The memory that they and their frames use, in bytes. */
        readonly bytes: number;
        /** The limit of `bytes`. */
        readonly maxBytes: number;
      };
    }
  /** A call of the store ended. Calls that return synchronously (reads of the memory store) are not observed. */
  | {
      /** Always `store`. */
      readonly type: 'store';
      /** The name of the store. */
      readonly store: string;
      /** The function of the store that was called. */
      readonly operation: 'get' | 'list' | 'create' | 'replace' | 'remove' | 'expire' | 'revision' | 'ping' | 'now';
      /** `ok`, the code of a `StoreError`, `aborted` if the caller aborted the call, or `error` for any other error. */
      readonly outcome: string;
      /** How long the call took, in milliseconds. */
      readonly durationMs: number;
    }
  /** The feed of the store delivered changes to the watch hub. */
  | {
      /** Always `feed`. */
      readonly type: 'feed';
      /** The name of the store. */
      readonly store: string;
      /** How many changes it delivered together. */
      readonly changes: number;
      /**
       * The time from the completion of a write of this process until the feed delivered it; absent if the changes
       * include no such write.
       */
      readonly lagMs?: number | undefined;
    }
  /** Expired events were removed. */
  | {
      /** Always `expired`. */
      readonly type: 'expired';
      /** The name of the store. */
      readonly store: string;
      /** How many events were removed. */
      readonly removed: number;
    }
  /**
   * The watch cache of a store (`cachedStore`) has changed its state: `filling` and `full` mean that reads go through
   * to the store, `stale` that the store is unavailable and reads return the last known state. With `stale` and `full`,
   * `error` is the reason.
   */
  | {
      /** Always `cache.changed`. */
      readonly type: 'cache.changed';
      /** The name of the store. */
      readonly store: string;
      /** The new state. */
      readonly state: 'filling' | 'ready' | 'stale' | 'full';
      /** How many events the cache holds. */
      readonly events: number;
      /** The memory that the cache uses. */
      readonly bytes: number;
      /** The reason, also where the cache has to be filled again after an error; absent if there was no error. */
      readonly error?: unknown;
    }
  /**
   * The changes that a watch cache received since the last observation, and its contents: at most once a second, and
   * once more when it has become idle.
   */
  | {
      /** Always `cache.activity`. */
      readonly type: 'cache.activity';
      /** The name of the store. */
      readonly store: string;
      /** Changes that the feed of the store delivered. */
      readonly changes: number;
      /** How many events the cache holds. */
      readonly events: number;
      /** The memory that the cache uses. */
      readonly bytes: number;
      /** For how long it has been behind a revision that is known to exist; 0 if it is not behind. */
      readonly lagMs: number;
      /** The revision up to which it has every change; absent while there is none. */
      readonly revision?: number | undefined;
    }
  /**
   * A read waited until the watch cache was as fresh as it has to be. `cache`: it was served from the cache; `store`:
   * from the store, because waiting took too long; `failed`: it failed. Reads that did not have to wait are not
   * observed.
   */
  | {
      /** Always `cache.waited`. */
      readonly type: 'cache.waited';
      /** The name of the store. */
      readonly store: string;
      /** How long the read took, in milliseconds, the wait included. */
      readonly durationMs: number;
      /** What served the read, or `failed`. */
      readonly outcome: 'cache' | 'store' | 'failed';
    }
  /**
   * How many events a recorder has accepted and written since the last observation: at most once a second, and once
   * more when it ends.
   */
  | {
      /** Always `recorder.activity`. */
      readonly type: 'recorder.activity';
      /** Its `reportingController`. */
      readonly recorder: string;
      /** Events that were recorded since the last observation, also those that were dropped. */
      readonly recorded: number;
      /** Events that were written since the last observation, also those that only raised the count of a series. */
      readonly written: number;
      /** Events that are recorded, and neither written nor dropped yet. */
      readonly pending: number;
      /** Requests that wait or are in flight. */
      readonly queued: number;
    }
  /**
   * A recorder has dropped events: the first one of a reason is reported at once, further ones together after a second.
   */
  | {
      /** Always `recorder.dropped`. */
      readonly type: 'recorder.dropped';
      /** Its `reportingController`. */
      readonly recorder: string;
      /** Why they were dropped; `DropReason` explains each. */
      readonly reason: 'invalid' | 'full' | 'rate-limited' | 'refused' | 'expired' | 'closed';
      /** How many events this observation reports. */
      readonly count: number;
      /** The error; of several, the last one. */
      readonly error: unknown;
      /** The event; of several, the last one. Absent if the input was too invalid to create an event. */
      readonly event?: Event | undefined;
    };

/** A request to the Event API has its response (a watch: the response has begun). */
export interface RequestObservation {
  /** Always `request`. */
  readonly type: 'request';
  /**
   * The verb that authorizers get, such as `get`; for paths outside the resource the method of the request in lower
   * case.
   */
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
  /** The URL as the client sent it. It may contain names and selectors of users. */
  readonly url: string;
  /** The API group in the path, `''` outside the resource. */
  readonly group: string;
  /** The version in the path, such as `v1`; `''` outside the resource. */
  readonly version: string;
  /** `events`, or `''` for documents about the API and for non-resource paths. */
  readonly resource: string;
  /** The namespace as the client wrote it, of any length. `''` for all namespaces. */
  readonly namespace: string;
  /** The scope as in the metrics of kube-apiserver: one event, a namespace, all namespaces, or no resource. */
  readonly scope: 'resource' | 'namespace' | 'cluster' | '';
  /** The value of `?dryRun=`, as in the metrics of kube-apiserver. */
  readonly dryRun: '' | 'All' | 'invalid';
  /** True for a server-side apply, whose verb is `patch`; `APPLY` in the metrics of kube-apiserver. */
  readonly isApply?: boolean | undefined;
  /** The length of the response body; absent if the body is streamed. */
  readonly responseBytes?: number | undefined;
}

/** Identifies a watch. */
export interface WatchIdentity {
  /** The name of the caller. */
  readonly caller: string;
  /** The API group. */
  readonly group: string;
  /** The served version. */
  readonly version: string;
  /** The namespace that is watched; empty for all. */
  readonly namespace: string;
  /** The scope of the request, as in the metrics of kube-apiserver. */
  readonly scope: 'resource' | 'namespace' | 'cluster' | '';
}

/**
 * Receives observations. It may return a promise: while one has been pending for two minutes, the `log` health check
 * fails (logging blocked). Errors that it throws are ignored.
 *
 * Without a hook the first `error` of each place (`where`) is a warning of the process (`process.emitWarning`, code
 * `KUBE_VITALS_ERROR`), if the runtime supports warnings. Nothing else is reported.
 */
export type Observe = (observation: Observation) => void | Promise<void>;

export interface WatchObserver {
  readonly notify: Notify;
  /** Counts frames and bytes, which are too many to be observed one by one. */
  readonly sent: (group: string, version: string, frames: number, bytes: number) => void;
}

/** Calls a hook and ignores errors that it throws or rejects with. */
export type Notify = (observation: Observation) => void;

/** Wraps the hook of a service so that it never throws. Without a hook, errors become warnings of the process. */
export function createNotifier(observe: Observe = createWarnings()): Notify {
  return (observation) => void callHook(() => observe(observation));
}
