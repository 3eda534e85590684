import { createBatcher } from '../batching/batcher.js';
import type { ByteHints } from '../contract/byte-hints.js';
import type { Change, EventKey, RemoveOptions, WriteOptions } from '../contract/event-store.js';
import { keyText } from '../contract/keys.js';
import { eventWithSidecar, encodeSidecar } from '../sidecar/sidecar.js';
import type { EncodedEvent, EventRecord } from '../contract/record.js';
import { hasCode } from '../unknown-outcomes.js';
import { createPacker } from './packing.js';
import { packWrite, WRITE_ANSWER, WRITES, type WriteRequest } from './protocol.js';
import { decoded, recordOf } from './records.js';
import type { EngineHost } from './worker-host.js';
import type { WriteResult } from './write-batch.js';

/** What one transaction may hold. */
const BATCH_OPERATIONS = 512;
const BATCH_BYTES = 8_388_608;
/**
 * While one batch is committed the next ones are already with the engine, which does them one after the other and does not
 * wait for a turn of this thread. With 64 creates in flight that makes 6 to 12 % more a second. Few are not worth a commit
 * of their own: with 16 in flight that would cost 4 %.
 */
const BATCHES_UNDER_WAY = 3;
const MIN_AHEAD = 8;
/**
 * Operations are packed as they come, into buffers of this size. With small buffers for each event, its key and its texts,
 * this thread and its collectors took 30 µs a create, now 17.
 */
const BUFFER_BYTES = 65_536;

/** What became of a write: the new state, the last one of what was removed, or how many were removed or forgotten. */
export type Written = EventRecord | number;

/** Packs what is written at the same time into one message, and so into one commit. */
export interface Writes {
  /** Replaces what is at `expected`; where that is absent, creates. */
  put(key: EventKey, event: EncodedEvent, options: WriteOptions & RemoveOptions): Promise<EventRecord>;
  remove(key: EventKey, options: RemoveOptions): Promise<EventRecord>;
  expire(dueAt: number, limit: number, signal: AbortSignal | undefined): Promise<number>;
  forget(limit: number): Promise<number>;
  close(error: () => Error): Promise<void>;
}

/** For {@link createWrites}. */
export interface WritesOptions {
  readonly host: EngineHost;
  /** The time of history, microseconds. */
  readonly now: () => number;
  readonly path: string;
  /** Whether anybody reads changes: only then does the engine return what a replace replaced. */
  hasReaders(): boolean;
  /** Called after each batch, with its changes where they are known, and when history has to be forgotten next. */
  onWritten(changes: () => readonly Change[] | undefined, nextDue: number | undefined): void;
}

interface Item {
  readonly packed: Uint8Array;
  readonly weight: number;
  /** Makes what the caller gets of what the engine says. */
  written(result: WriteResult): Written;
  /** The change that it made; `undefined`: none; 'unknown': history has to be read. */
  changeOf(written: Written, result: WriteResult): Change | 'unknown' | undefined;
}

/** One item of a batch when it is done. */
interface Done {
  readonly item: Item;
  readonly result: WriteResult;
  readonly written: Written;
}

function field({ fields }: EncodedEvent, name: string): string | undefined {
  return (Object.hasOwn(fields, name) && fields[name]) || undefined;
}

/**
 * An event that was just written, with copies of what the caller gave besides its bytes. Readers of changes, such as a watch
 * cache, look at all of it: parsing the sidecar and finding the hints again would take this thread 3 µs more. Hints are not
 * enumerable, because events that are read have none.
 */
class WrittenEvent implements EncodedEvent {
  readonly bytes: Uint8Array;
  readonly cut: number;
  readonly uid: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly #hints: ByteHints | undefined;

  constructor({ cut, uid, fields, labels, hints }: EncodedEvent, bytes: Uint8Array) {
    this.bytes = bytes;
    this.cut = cut;
    this.uid = uid;
    this.fields = { ...fields };
    this.labels = { ...labels };
    this.#hints = hints;
  }

  get hints(): ByteHints | undefined {
    return this.#hints;
  }
}

/**
 * The changes of a batch, in order; `undefined` where not all are known. Nobody has to read them from the file then, which
 * takes about as long as writing them.
 */
function changesOf(batch: readonly (Done | Error)[]): readonly Change[] | undefined {
  const changes: Change[] = [];
  for (const done of batch) {
    if (hasCode(done, 'unknown-outcome')) return undefined;
    if (done instanceof Error) continue;
    const change = done.item.changeOf(done.written, done.result);
    if (change === 'unknown') return undefined;
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

function unexpected(): never {
  throw new TypeError('the engine answered with another write');
}

/** Makes {@link Writes}. */
export function createWrites({ host, now, path, hasReaders, onWritten }: WritesOptions): Writes {
  const packer = createPacker(BUFFER_BYTES);

  const batcher = createBatcher<Item, Written>({
    maxItems: BATCH_OPERATIONS,
    maxWeight: BATCH_BYTES,
    concurrency: BATCHES_UNDER_WAY,
    minAhead: MIN_AHEAD,
    weigh: ({ weight }) => weight,
    async run(items) {
      const operations = items.map((item) => item.packed);
      const size = operations.reduce((sum, { length }) => sum + 4 + length, 16);
      const batch = WRITES.pack({ now: now(), withPrevious: hasReaders(), operations }, size);
      const answer = WRITE_ANSWER.unpack(await host.send('write', batch));
      const done = answer.results.map((result, index): Done | Error => {
        if (result instanceof Error) return result;
        const item = items[index] as Item;
        try {
          return { item, result, written: item.written(result) };
        } catch (error) {
          return error as Error;
        }
      });
      onWritten(() => changesOf(done), answer.nextDue);
      return done.map((one) => (one instanceof Error ? one : one.written));
    },
  });

  const add = <Result extends Written>(item: Item, signal?: AbortSignal): Promise<Result> =>
    batcher.add(item, signal) as Promise<Result>;
  const count = (request: WriteRequest & { readonly limit: number }, signal?: AbortSignal): Promise<number> => {
    const item: Item = {
      packed: packWrite(packer, request),
      weight: request.limit * 1024,
      written: (result) => (result.kind === 'count' ? result.count : unexpected()),
      changeOf: (written) => (request.kind === 'expire' && written !== 0 ? 'unknown' : undefined),
    };
    return add(item, signal);
  };

  return {
    put({ namespace, name }, event, { expiresAt, expected, signal }) {
      // The caller may change what it gave as soon as this returns.
      const key: EventKey = { namespace, name };
      const description = encodeSidecar(event);
      const size = event.bytes.length;
      const packed = packWrite(packer, {
        kind: 'put',
        key: keyText(key),
        expected,
        expiresAt,
        regardingName: field(event, 'regarding.name'),
        regardingUid: field(event, 'regarding.uid'),
        description,
        data: event.bytes,
      });
      const data = packed.subarray(packed.length - size);
      const kept = hasReaders() ? new WrittenEvent(event, data) : undefined;
      const written = (result: WriteResult): EventRecord => {
        if (result.kind !== 'put') unexpected();
        return { key, revision: result.revision, event: kept ?? eventWithSidecar(data, description), expiresAt };
      };
      const changeOf: Item['changeOf'] = (record, result) => {
        if (typeof record === 'number' || result.kind !== 'put') unexpected();
        const change = { type: 'put', key, revision: record.revision, record } as const;
        if (expected === undefined) return change;
        const { previous } = result;
        return previous === undefined ? 'unknown' : { ...change, previous: decoded(path, () => recordOf(previous)) };
      };
      return add({ packed, weight: packed.length, written, changeOf }, signal);
    },
    remove(key, { expected, signal }) {
      const packed = packWrite(packer, { kind: 'remove', key: keyText(key), expected });
      const written = (result: WriteResult): EventRecord =>
        result.kind === 'remove' ? decoded(path, () => recordOf(result.record)) : unexpected();
      const changeOf: Item['changeOf'] = (record, result) => {
        if (typeof record === 'number' || result.kind !== 'remove') unexpected();
        const { revision } = record;
        return {
          type: 'delete',
          key: record.key,
          revision,
          record,
          previous: { ...record, revision: result.previous },
        };
      };
      return add({ packed, weight: 1024, written, changeOf }, signal);
    },
    expire: (dueAt, limit, signal) => count({ kind: 'expire', dueAt, limit }, signal),
    forget: (limit) => count({ kind: 'forget', limit }),
    close: batcher.close,
  };
}
