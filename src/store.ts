export { createEventStore } from './store/shell/create-event-store.js';
export type { Awaitable, ReopeningPauses, StoreEngine } from './store/shell/store-engine.js';
export {
  createPagedFeeds,
  type FeedOptions,
  type FeedSource,
  type PagedFeeds,
  type PagedFeedsOptions,
} from './store/feeds/paged-feed.js';
export { resolveUnknownOutcomes, type UnknownOutcomeOptions } from './store/unknown-outcomes.js';
export { LATER, type ReadHints } from './store/contract/read-hints.js';
export { isStoreError, storeError, type StoreError, type StoreErrorCode } from './store/contract/errors.js';
export type {
  Change,
  ChangesOptions,
  CreateEvent,
  ReplaceEvent,
  EventKey,
  EventStore,
  ExpireOptions,
  FieldTerm,
  GetEvent,
  JsonPage,
  JsonSource,
  JsonWriter,
  ListEvents,
  ListPage,
  ListQuery,
  PingOptions,
  Position,
  RemoveOptions,
  ReplaceOptions,
  Revision,
  StoreCall,
  StoreCapabilities,
  WriteOptions,
} from './store/contract/event-store.js';
export type { ByteHints, ByteRange } from './store/contract/byte-hints.js';
export type { EncodedEvent, EventRecord } from './store/contract/record.js';
export {
  copyEvents,
  type CopyEventsOptions,
  type CopyProgress,
  type CopyResult,
  type SkippedEvent,
} from './store/copy-events.js';
export { systemClock, type Clock, type ClockTimer } from './clock/clock.js';
