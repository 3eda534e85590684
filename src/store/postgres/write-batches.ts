import { Buffer } from 'node:buffer';
import { createBatcher, type Batcher } from '../batching/batcher.js';
import { conflict, exists, notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { eventWithSidecar } from '../sidecar/sidecar.js';
import { storeError } from '../contract/errors.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from '../contract/record.js';
import { stateOf } from './failures.js';
import { indexed, quoted } from './names.js';
import type { Reads } from './reads.js';
import { stampOf, type Row, type StoreParts } from './requests.js';
import { numberOf, recordOf } from './rows.js';
import { ROW_BYTES } from './schema-functions.js';
import { TOO_LATE, type ServerClock } from './server-clock.js';

export interface Write {
  readonly kind: 'create' | 'replace' | 'remove';
  readonly key: EventKey;
  readonly expected?: Revision | undefined;
  /** Absent for a removal, like the next two. */
  readonly event?: EncodedEvent;
  readonly sidecar?: string;
  readonly expiresAt?: number;
  /** For a create: a revision that was seen before its first attempt. */
  readonly since?: Revision;
}

interface WriteBatchesOptions extends Omit<StoreParts, 'client'> {
  readonly reads: Reads;
  readonly serverClock: ServerClock;
  /** Called after each batch that changed something, with the bytes it sent. */
  onWritten(latest: Revision, bytes: number): void;
}

const KINDS = { create: 0, replace: 1, remove: 2 };
/** A batch holds the lock on the counter for about 10 ms. */
const MAX_ITEMS = 256;
const MAX_BYTES = 4_194_304;

/** The batch as the two parameters of the function `write`: the operations as JSON, and all bytes concatenated. */
function encodeBatch(writes: readonly Write[]): { readonly ops: string; readonly data: Uint8Array } {
  let offset = 0;
  const ops = writes.map(({ kind, key, expected, event, sidecar, expiresAt, since }) => {
    const op = { t: KINDS[kind], k: keyText(key), x: expected };
    if (event === undefined) return op;
    const o = offset;
    const l = event.bytes.length;
    offset += l;
    const n = indexed(event.fields['regarding.name']);
    const u = indexed(event.fields['regarding.uid']);
    return { ...op, o, l, d: sidecar, e: expiresAt, n, u, s: since };
  });
  return { ops: JSON.stringify(ops), data: Buffer.concat(writes.flatMap(({ event }) => event?.bytes ?? [])) };
}

function resultOf(write: Write, row: Row | undefined): EventRecord | Error {
  const { kind, key, expected } = write;
  if (row === undefined) return storeError('unknown-outcome', 'PostgreSQL: the result of a write is missing');
  if (row['r_rev'] === null) {
    const had = row['r_had'];
    if (kind === 'create') return exists(keyText(key));
    return had === null ? notFound(keyText(key)) : conflict(keyText(key), String(had), expected);
  }
  const revision = numberOf(row['r_rev']);
  if (kind === 'remove') return recordOf(key, revision, row, 'r_');
  const { event, sidecar, expiresAt } = write as Required<Write>;
  return { key, revision, event: eventWithSidecar(event.bytes, sidecar), expiresAt };
}

/** Writes in batches of one round trip and one commit. One batch is under way at a time, while the next one gathers. */
export function createWriteBatches(options: WriteBatchesOptions): Batcher<Write, EventRecord> & {
  /** Writes nothing, as a batch would: it takes the lock, needs the rights, and waits for the commit. */
  probe(): Promise<unknown>;
} {
  const { requests, reads, schema, clock, timers, serverClock, timeoutMs, onWritten } = options;
  const statement = {
    name: `${schema}.write`,
    text:
      'SELECT r_rev::text, r_had::text, r_expires_at::text, r_description, r_data ' +
      `FROM ${quoted(schema)}.write($1::text, $2::bytea, $3::bigint, $4::bigint, $5::integer, $6::bigint) ORDER BY r_ord`,
  };
  const send = async (ops: string, data: Uint8Array): Promise<readonly Row[]> => {
    const until = String(serverClock.after(timeoutMs));
    const values = [ops, data, String(reads.seen), stampOf(clock), String(timeoutMs), until];
    return requests.write(statement, values).catch(async (error: unknown) => {
      if (stateOf(error) === TOO_LATE) await serverClock.now();
      throw error;
    });
  };
  const batcher = createBatcher<Write, EventRecord>({
    maxItems: MAX_ITEMS,
    maxWait: {
      ms: timeoutMs / 2,
      clock: timers,
      error: () => storeError('unavailable', `PostgreSQL: no write could be sent for ${timeoutMs / 2} ms`),
    },
    maxWeight: MAX_BYTES,
    weigh: ({ event }) => event?.bytes.length ?? 0,
    keyOf: ({ key }) => keyText(key),
    async run(writes) {
      const { ops, data } = encodeBatch(writes);
      const rows = await send(ops, data);
      const results = writes.map((write, index) => resultOf(write, rows[index]));
      const latest = Math.max(0, ...results.map((result) => (result instanceof Error ? 0 : result.revision)));
      if (latest > 0) {
        reads.saw(latest);
        onWritten(latest, data.length + writes.length * ROW_BYTES);
      }
      return results;
    },
  });
  return { ...batcher, probe: () => send('[]', new Uint8Array(0)) };
}
