import type { Event } from '../../model/event.js';

/** Options of every call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take including retries, in milliseconds; for a list, each page. Default: the client's. */
  readonly timeoutMs?: number | undefined;
}

/** Options of `get`. */
export interface GetOptions extends CallOptions {
  /** The oldest revision that the response may show; `0`: any state that the server has. Default: the latest. */
  readonly resourceVersion?: string | undefined;
}

/** Names an event. */
export interface EventKey {
  /** The namespace. Default: the client's. */
  readonly namespace?: string | undefined;
  /** The name. */
  readonly name: string;
}

/** Options of calls that write. */
export interface WriteOptions extends CallOptions {
  /** True: the server checks everything and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** Who manages the fields that are written. Default: the client's `fieldManager`. */
  readonly fieldManager?: string | undefined;
  /** What the server does about unknown and duplicate fields. Default: the server's, `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** Selects events. */
export interface EventSelection {
  /** The namespace; `null`: all namespaces. Default: the client's, or all where it has none. */
  readonly namespace?: string | null | undefined;
  /** A field selector, such as `regarding.kind=Pod,type!=Normal`. Default: all events. */
  readonly fieldSelector?: string | undefined;
  /** A label selector, such as `app in (shop, cart)`. Default: all events. */
  readonly labelSelector?: string | undefined;
}

/** Options of `list`. */
export interface ListOptions extends CallOptions, EventSelection {
  /** Events of one page, at least 1. Default: 500. */
  readonly pageSize?: number | undefined;
  /** The revision to read; see `resourceVersionMatch`. Default: the latest. */
  readonly resourceVersion?: string | undefined;
  /** How the server interprets `resourceVersion`. */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /**
   * `newest-first`: by descending `resourceVersion`, so that the events that were created or changed last come first. An
   * extension of kube-vitals: the list fails with a ResponseError if the server ignores it, as kube-apiserver does.
   * Default: by namespace and name.
   */
  readonly order?: 'newest-first' | undefined;
}

/** A page of a list. */
export interface EventPage {
  /** The events, each with `apiVersion` and `kind`. */
  readonly items: readonly Event[];
  /** The revision of the list, from which a watch can continue. */
  readonly resourceVersion: string;
  /** The token of the next page; absent on the last page. */
  readonly continue?: string | undefined;
  /** How many events are left after this page, where the server returns it. */
  readonly remainingItemCount?: number | undefined;
  /**
   * True on the first page of a list that began again, because the revision of the earlier pages had expired on the
   * server (410). Discard those: all events follow again, as of the new revision.
   */
  readonly restarted?: boolean | undefined;
}

/**
 * Events one after the other, read page by page as they are iterated; one page is in memory at a time. If the revision
 * of the list expires before its end (410), the list begins again at a newer one, at most ten times, and leaves out
 * events that were returned already and have not changed since; at an older one, which a restored backup has, it leaves
 * out nothing. Events that were deleted in the meantime may have been returned; {@link EventListing.pages} and
 * {@link EventListing.toArray} are exact. Events are recognised by their position in the order of the list and by their
 * revision, so none has to be remembered; where lists have no order or revisions are not numbers, iteration fails with
 * a ResponseError.
 */
export interface EventListing extends AsyncIterable<Event> {
  /** Reads page by page. A list that begins again has `restarted` on its first page, and leaves nothing out. */
  pages(): AsyncIterable<EventPage>;
  /**
   * All events, in memory, as of one revision. Fails with a ResponseError beyond `maxEvents`.
   *
   * @param maxEvents At least 0. Default: 1,000,000.
   * @throws TypeError, as a rejection, if `maxEvents` is not such a number
   */
  toArray(maxEvents?: number): Promise<Event[]>;
}

/** A patch and how the server is to apply it (RFC 6902, RFC 7386, Kubernetes). */
export type EventPatch =
  | {
      /** A JSON Patch (RFC 6902). */
      readonly type: 'json';
      /** The operations, in order, such as `{ op: 'replace', path: '/note', value: 'paid' }`. */
      readonly patch: readonly object[];
    }
  | {
      /** `merge`: a JSON Merge Patch (RFC 7386). `strategic`: a strategic merge patch of Kubernetes. */
      readonly type: 'merge' | 'strategic';
      /** The fields to change; `null` removes a field. */
      readonly patch: object;
    }
  | {
      /** Server-side apply. */
      readonly type: 'apply';
      /** The fields to own and their values. `kind`, `apiVersion` and `metadata.name` are added if absent. */
      readonly patch: object;
      /** Whether to take over fields that other managers own, instead of failing with a conflict. Default: false. */
      readonly force?: boolean | undefined;
    };

/** Options of `delete`. */
export interface DeleteOptions extends CallOptions {
  /** True: the server checks everything and removes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The event must have this UID. */
  readonly uid?: string | undefined;
  /** The event must be at this revision. */
  readonly resourceVersion?: string | undefined;
}

/** Options of `deleteCollection`. */
export interface DeleteCollectionOptions extends CallOptions, EventSelection {
  /** True: the server checks everything and removes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Options of `watch`. A watch that has begun has no deadline but `timeoutSeconds`. */
export interface WatchOptions extends EventSelection {
  /** Ends the watch; its iteration then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the server may take to begin the watch, in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Changes after this revision. Default: every event as ADDED, then changes. */
  readonly resourceVersion?: string | undefined;
  /** Asks for bookmarks. Default: false. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Asks for every event first, then a bookmark with the annotation `k8s.io/initial-events-end` (WatchList). */
  readonly sendInitialEvents?: boolean | undefined;
  /** After how many seconds the server ends the watch. Default: the server's choice. */
  readonly timeoutSeconds?: number | undefined;
}

/** A frame of a watch. The server's ERROR frames are thrown as a StatusError instead. */
export interface WatchFrame {
  /** What happened. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The event; for a BOOKMARK only its `metadata` has content. */
  readonly object: Event;
}

/**
 * The Event resource of a server, typed. Calls fail with a StatusError when the server refuses, with a ConnectionError
 * when it was not reached, closed the connection before its response was complete or did not respond in time, with a
 * ResponseError when the response did not come from such a server, and with the signal's reason when they are aborted.
 * Invalid arguments and unknown options are a TypeError, and nothing is sent.
 *
 * Requests are repeated within `timeoutMs`: reads after failures that may be temporary, writes where they were
 * certainly not carried out (`sent` is false, or 429 and 503 with Retry-After), and `create` of an event with a name
 * also where that is unknown.
 */
export interface EventsClient {
  /** The API group, such as `events.k8s.io`. */
  readonly group: string;
  /** The namespace of calls that name none. */
  readonly namespace: string | undefined;
  /** Reads an event. */
  get(key: EventKey, options?: GetOptions): Promise<Event>;
  /** Lists events. Nothing is sent before the first event is requested. Throws a TypeError for invalid options. */
  list(options?: ListOptions): EventListing;
  /**
   * Creates an event and resolves with it as stored. With a fixed name, it is sent again when its outcome is unknown.
   * If the name is then taken by an event with the same content that was stored since the call began, the call resolves
   * with that event; if by another event, it rejects with AlreadyExists. With `generateName` an unknown outcome remains
   * one (a ConnectionError whose `sent` is true), because sending it again could store the event twice.
   */
  create(event: Event, options?: WriteOptions): Promise<Event>;
  /** Replaces an event; with `metadata.resourceVersion` only at that revision. */
  update(event: Event, options?: WriteOptions): Promise<Event>;
  /** Changes an event. Only `apply` creates it where it is absent. */
  patch(key: EventKey, patch: EventPatch, options?: WriteOptions): Promise<Event>;
  /** Deletes an event. */
  delete(key: EventKey, options?: DeleteOptions): Promise<void>;
  /** Deletes all selected events. */
  deleteCollection(options: DeleteCollectionOptions): Promise<void>;
  /**
   * One watch request: its frames until the server, the signal or the consumer ends it. A frame is read only when the
   * consumer requests it, so that a slow one slows the server down. The request is neither repeated nor resumed; use
   * `watchEvents` for that. A stream that ends in the middle of a frame is a ConnectionError, a frame of more than
   * `maxFrameBytes` a ResponseError. `return()` of its iterator ends it at once, also while a frame is awaited.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchFrame>;
}
