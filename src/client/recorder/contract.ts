import type { ObjectReference } from '../../model/event.js';

/** An object as Kubernetes clients represent it. Its other fields are not read. */
export interface KubernetesObject {
  /** Group and version, such as `apps/v1`. Items of a list have none: set it. */
  readonly apiVersion?: string | undefined;
  /** The kind. Items of a list have none: set it. */
  readonly kind?: string | undefined;
  /** The identity of the object. */
  readonly metadata?:
    | {
        /** The name. Required, at most 1,024 bytes. */
        readonly name?: string | undefined;
        /** The namespace, at most 1,024 bytes; absent for objects without one. */
        readonly namespace?: string | undefined;
        /** The UID, at most 1,024 bytes. */
        readonly uid?: string | undefined;
        /** The revision of the object, at most 1,024 bytes. */
        readonly resourceVersion?: string | undefined;
      }
    | undefined;
}

/**
 * What an event is about: an object with `apiVersion`, `kind` and `metadata`; a reference to one; or an object of the
 * service outside Kubernetes, as `{ kind, name }`. The latter gets the group of the reporting controller
 * (`example.com/shop` gives `example.com/v1`) and the namespace of the recorder.
 */
export type Regarding =
  KubernetesObject | { readonly [Name in keyof ObjectReference]?: ObjectReference[Name] | undefined };

/** What happened. Everything is copied at the call. */
export interface EventInput {
  /** What it is about. Default: the recorder's `regarding`. An event cannot be about an event. */
  readonly regarding?: Regarding | undefined;
  /** A second object that took part. */
  readonly related?: Regarding | undefined;
  /** `Normal` or `Warning`, or another type that the server takes. Default: `Normal`. */
  readonly type?: 'Normal' | 'Warning' | (string & {}) | undefined;
  /** Why, for people, in one word such as `Paid`; a field selector finds it. At most 128 bytes. */
  readonly reason: string;
  /** What was done or failed, as one word for programs, such as `Charge`. At most 128 bytes. */
  readonly action: string;
  /** What happened, for people. Longer notes are shortened to 1,024 bytes and end in `…`. */
  readonly note?: string | undefined;
  /** The labels of the event that is created; equal events do not change them. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** The annotations of the event that is created; equal events do not change them. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Why an event was not written. `invalid`: the input has a fault. `full`: too many events wait. `rate-limited`: too
 * many events about the same object. `refused`: the server refused it, or the transport to it was closed. `expired`: it
 * waited too long. `closed`: it came after `close`, or was not written in time.
 */
export type DropReason = 'invalid' | 'full' | 'rate-limited' | 'refused' | 'expired' | 'closed';

/** Counts since the recorder was made. `recorded` is the sum of `written`, `pending` and all of `dropped`. */
export interface RecorderStats {
  /** Calls of `event`. */
  readonly recorded: number;
  /** Of those, how many the server has: as an event, or in the count of one. */
  readonly written: number;
  /** Of those, how many are still to be written. */
  readonly pending: number;
  /** Of those, how many were dropped, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Requests that wait or are under way. */
  readonly queued: number;
  /** Series that equal events would continue. */
  readonly series: number;
}

/** Has `Symbol.asyncDispose` where the types of the project define it. */
export type AsyncDisposing = SymbolConstructor extends { readonly asyncDispose: infer Name extends symbol }
  ? { readonly [Key in Name]: () => Promise<void> }
  : object;

/** What `flush` and `close` take. */
export interface FlushOptions {
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** Records events. All functions may be detached. */
export interface Recorder extends AsyncDisposing {
  /**
   * Records an event, and returns at once. It never throws: an event that cannot be recorded is dropped, counted in
   * `stats` and reported to `observe`.
   */
  readonly event: (input: EventInput) => void;
  /**
   * Resolves when everything that was recorded before is written or dropped, with the exact count of every series.
   * Rejects with the signal's reason when that is aborted first.
   */
  readonly flush: (options?: FlushOptions) => Promise<void>;
  /**
   * Takes no more events, writes those recorded, and stops its timers. Events not written after `closeTimeoutMs`, or
   * when the signal is aborted, are dropped. Never rejects; every call returns the same promise.
   */
  readonly close: (options?: FlushOptions) => Promise<void>;
  /** The counts so far. */
  readonly stats: () => RecorderStats;
}
