import type { Event } from '../../model/event.js';

/** With every call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take with all its repetitions, in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/** Names an event. */
export interface EventKey {
  /** The namespace. Default: the client's. */
  readonly namespace?: string | undefined;
  /** The name. */
  readonly name: string;
}

/** With calls that write. */
export interface WriteOptions extends CallOptions {
  /** True: the server checks everything and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** Who manages the fields that are written. Default: the client's `fieldManager`. */
  readonly fieldManager?: string | undefined;
  /** What the server does about unknown and duplicate fields. Default: the server's, `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** Which events. */
export interface EventSelection {
  /** The namespace; `null`: all namespaces. Default: the client's, or all where it has none. */
  readonly namespace?: string | null | undefined;
  /** Such as `regarding.kind=Pod,type!=Normal`. */
  readonly fieldSelector?: string | undefined;
  /** Such as `app in (shop, cart)`. */
  readonly labelSelector?: string | undefined;
}

/** With `list`. */
export interface ListOptions extends CallOptions, EventSelection {
  /** Events of one page. Default: 500. */
  readonly pageSize?: number | undefined;
  /** As of which revision; see `resourceVersionMatch`. Default: the latest. */
  readonly resourceVersion?: string | undefined;
  /** How the server takes `resourceVersion`. */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
}

/** A page of a list. */
export interface EventPage {
  /** The events, each with `apiVersion` and `kind`. */
  readonly items: readonly Event[];
  /** The revision of the list, from which a watch may go on. */
  readonly resourceVersion: string;
  /** Of the next page; absent on the last one. */
  readonly continue?: string | undefined;
  /** How many events are left after this page, where the server says so. */
  readonly remainingItemCount?: number | undefined;
}

/** Events one after the other, read page by page as they are iterated. */
export interface EventListing extends AsyncIterable<Event> {
  /**
   * The same, page by page. When the server no longer knows the list's revision in the middle (410), the list begins again at a
   * newer one, and what was given already is left out unless it has changed since.
   */
  pages(): AsyncIterable<EventPage>;
  /** All of them in memory. */
  toArray(): Promise<Event[]>;
}

/** A patch and how the server is to take it (RFC 6902, RFC 7386, Kubernetes). */
export type EventPatch =
  | { readonly type: 'json'; readonly patch: readonly object[] }
  | { readonly type: 'merge' | 'strategic'; readonly patch: object }
  | { readonly type: 'apply'; readonly patch: object; readonly force?: boolean | undefined };

/** What has to hold for a deletion. */
export interface DeleteOptions extends CallOptions {
  /** True: the server checks everything and removes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The event must have this UID. */
  readonly uid?: string | undefined;
  /** The event must be at this revision. */
  readonly resourceVersion?: string | undefined;
}

/** With `deleteCollection`. */
export interface DeleteCollectionOptions extends CallOptions, EventSelection {
  /** True: the server checks everything and removes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** With `watch`. A watch has no deadline of its own but `timeoutSeconds`. */
export interface WatchOptions extends EventSelection {
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined;
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
 * The Event resource of a server, typed. Calls fail with a StatusError when the server refuses, with a ConnectionError when it
 * was not reached or left before its answer was complete, and with the signal's reason when they are aborted.
 */
export interface EventsClient {
  /** The API group, such as `events.k8s.io`. */
  readonly group: string;
  /** The namespace of calls that name none. */
  readonly namespace: string | undefined;
  /** Reads an event. */
  get(key: EventKey, options?: CallOptions & { readonly resourceVersion?: string | undefined }): Promise<Event>;
  /** Lists events. Nothing is sent before the first is asked for. */
  list(options?: ListOptions): EventListing;
  /** Creates an event. Resolves with it as it is stored. */
  create(event: Event, options?: WriteOptions): Promise<Event>;
  /** Replaces an event; with `metadata.resourceVersion` only at that revision. */
  update(event: Event, options?: WriteOptions): Promise<Event>;
  /** Changes an event. Only `apply` creates it where it is absent. */
  patch(key: EventKey, patch: EventPatch, options?: WriteOptions): Promise<Event>;
  /** Deletes an event. */
  delete(key: EventKey, options?: DeleteOptions): Promise<void>;
  /** Deletes many. */
  deleteCollection(options: DeleteCollectionOptions): Promise<void>;
  /**
   * One watch request: its frames until the server, the signal or the consumer ends it. Nothing is read before the consumer asks,
   * so that a slow one slows the server down. It does not resume: `watchEvents` does.
   */
  watch(options?: WatchOptions): AsyncIterable<WatchFrame>;
}
