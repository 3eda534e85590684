import { ownText } from '../../cache/own-text.js';
import type { Clock } from '../../clock/clock.js';
import { createBatcher } from '../batching/batcher.js';
import type { Change, EventKey, RemoveOptions, WriteOptions } from '../contract/event-store.js';
import { keyText } from '../contract/keys.js';
import { eventWithSidecar, encodeSidecar } from '../sidecar/sidecar.js';
import type { EncodedEvent, EventRecord } from '../contract/record.js';
import { whileLocked } from './locked.js';
import { errorOf, isLocked, type Failure } from './protocol.js';
import { decoded, recordOf } from './records.js';
import type { StoredRecord } from './stored.js';
import type { WorkerHost } from './worker-host.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/** The most of one transaction. */
const BATCH_OPERATIONS = 512;
const BATCH_BYTES = 8_388_608;
/**
 * While one batch is committed, the next ones are with the worker already, which begin when enough have gathered: the
 * worker does not wait until all requests that arrived together have been read. With 64 in flight this gives 15 % more
 * creates than batches of whole turns.
 */
const BATCHES_UNDER_WAY = 3;
const ENOUGH_OPERATIONS = 20;

export interface WritesOptions {
  readonly host: WorkerHost;
  readonly clock: Clock;
  /** The time of history, microseconds. */
  readonly now: () => number;
  readonly path: string;
  /** Whether changes are read: only then does the worker return the versions that were replaced. */
  hasReaders(): boolean;
  /** Called after each batch; no `changes` if history has to be read for some. `nextDue`: when to prune next. */
  onWritten(changes: readonly Change[] | undefined, nextDue: number | undefined): void;
}

/** The result of a write for its caller: the new state, the last one of a removed event, or a count. */
interface ItemResult {
  readonly written: EventRecord | number;
  /** The change that it made; `undefined`: none; 'unknown': history has to be read. */
  readonly change: Change | 'unknown' | undefined;
}

type Outcome<Kind extends WriteResult['kind']> = Extract<WriteResult, { readonly kind: Kind }>;

interface Item {
  readonly operation: WriteOperation;
  readonly weight: number;
  resultOf(result: WriteResult): ItemResult;
}

function field({ fields }: EncodedEvent, name: string): string | undefined {
  return (Object.hasOwn(fields, name) && fields[name]) || undefined;
}

function ownTexts(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, ownText(text)]));
}

/**
 * An event that was just written, with its values: readers of changes, such as a watch cache, would take 3 µs to find
 * them. Hints are not enumerable, because events that are read have none.
 */
function writtenEvent({ cut, uid, fields, labels, hints }: EncodedEvent, bytes: Uint8Array): EncodedEvent {
  const event = { bytes, cut, uid, fields: ownTexts(fields), labels: ownTexts(labels) };
  return Object.defineProperty(event, 'hints', { value: hints });
}

export function createWrites({ host, clock, now, path, hasReaders, onWritten }: WritesOptions) {
  const batcher = createBatcher<Item, EventRecord | number | Failure>({
    maxItems: BATCH_OPERATIONS,
    maxWeight: BATCH_BYTES,
    concurrency: BATCHES_UNDER_WAY,
    enough: ENOUGH_OPERATIONS,
    weigh: ({ weight }) => weight,
    async run(items) {
      const operations = items.map(({ operation }) => operation);
      const { results, nextDue } = await host.send('write', { now: now(), withPrevious: hasReaders(), operations });
      const changes: Change[] = [];
      let areKnown = true;
      const written = results.map((result, index) => {
        if (result.kind === 'failure') {
          if (result.code === 'unknown-outcome') areKnown = false;
          return isLocked(result) ? result : errorOf(result);
        }
        try {
          const { written, change } = (items[index] as Item).resultOf(result);
          if (change === 'unknown') areKnown = false;
          else if (change !== undefined) changes.push(change);
          return written;
        } catch (error) {
          areKnown = false;
          return error as Error;
        }
      });
      // A gap is a change whose write was not acknowledged.
      areKnown &&= changes.every(({ revision }, index) => revision === (changes[0] as Change).revision + index);
      onWritten(areKnown ? changes : undefined, nextDue);
      return written;
    },
  });

  /** Each write waits for as long as it may, whatever else is in its batches. */
  const add = async <Result extends ItemResult['written']>(item: Item, signal?: AbortSignal): Promise<Result> => {
    const result = await whileLocked(
      () => batcher.add(item, signal),
      (response) => typeof response === 'object' && isLocked(response),
      // Writes would wait for a step of history, which is repeated anyway.
      { clock, forMs: item.operation.kind === 'prune' ? 0 : undefined, signal },
    );
    if (typeof result === 'object' && 'kind' in result) throw errorOf(result);
    return result as Result;
  };
  const addCounted = (
    operation: WriteOperation & { readonly limit: number },
    signal?: AbortSignal,
  ): Promise<number> => {
    const resultOf = ({ count }: Outcome<'count'>): ItemResult => {
      return { written: count, change: operation.kind === 'expire' && count > 0 ? 'unknown' : undefined };
    };
    return add({ operation, weight: operation.limit * 1024, resultOf }, signal);
  };

  return {
    /** Replaces the event at `expected`; without that, creates one. */
    put(
      { namespace, name }: EventKey,
      event: EncodedEvent,
      { expiresAt, expected, signal }: WriteOptions & RemoveOptions,
    ): Promise<EventRecord> {
      // The caller may change its arguments as soon as this returns.
      const key: EventKey = { namespace: ownText(namespace), name: ownText(name) };
      const sidecar = encodeSidecar(event);
      // Not `slice`: that of a Buffer is a view.
      const data = new Uint8Array(event.bytes);
      const operation: WriteOperation = {
        kind: 'put',
        key: keyText(key),
        expected,
        expiresAt,
        regardingName: field(event, 'regarding.name'),
        regardingUid: field(event, 'regarding.uid'),
        sidecar,
        data,
      };
      const kept = hasReaders() ? writtenEvent(event, data) : undefined;
      const resultOf = ({ revision, previous }: Outcome<'written'>): ItemResult => {
        const written = { key, revision, event: kept ?? eventWithSidecar(data, sidecar), expiresAt };
        const change = { type: 'put', key, revision, record: written } as const;
        if (expected === undefined) return { written, change };
        if (previous === undefined) return { written, change: 'unknown' };
        return { written, change: { ...change, previous: decoded(path, () => recordOf(previous)) } };
      };
      return add({ operation, weight: data.length + sidecar.length, resultOf }, signal);
    },
    remove(key: EventKey, { expected, signal }: RemoveOptions): Promise<EventRecord> {
      const operation: WriteOperation = { kind: 'remove', key: keyText(key), expected };
      const resultOf = ({ revision, previous: stored }: Outcome<'written'>): ItemResult => {
        const previous = decoded(path, () => recordOf(stored as StoredRecord));
        const record = { ...previous, revision };
        return { written: record, change: { type: 'delete', key: record.key, revision, record, previous } };
      };
      return add({ operation, weight: 1024, resultOf }, signal);
    },
    expire: (dueAt: number, limit: number, signal: AbortSignal | undefined): Promise<number> =>
      addCounted({ kind: 'expire', dueAt, limit }, signal),
    prune: (limit: number): Promise<number> => addCounted({ kind: 'prune', limit }),
    close: (error: () => Error): Promise<void> => batcher.close(error),
  };
}
