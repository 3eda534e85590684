import { toRevision, uintError } from '../../api/options/query.js';
import type { WriteOptions } from '../../api/options/write-options.js';
import { badRequest, invalid } from '../../api/status/failures.js';
import { settle } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { isStoreError } from '../../store/contract/errors.js';
import type { EventKey, EventRecord } from '../../store/contract/record.js';
import { beginning } from '../../json/utf8.js';
import { authorize, expiryOf, storedObject } from '../request/call.js';
import type { EventsDependencies, VerbCall, Result } from '../request/call.js';
import { createStored } from '../request/stored-event.js';
import { createErrors } from '../rules/event-rules.js';
import { encodeEvent } from '../stored-form/encode-event.js';
import { dedupeOwners, requireEventRate, requireFits } from './admission.js';
import { setManagedFields, trackFields } from './field-tracking.js';

const NAME_ATTEMPTS = 8;

/**
 * Stores a new event, unless this is a dry run: sets the server's fields, applies rules and rate limits. `taken` is
 * called if the name exists, or eight generated ones. `entries`: managed fields, if known. @throws StatusFailure 400, 409, 422, 429
 */
export function storeNewEvent<T>(
  call: VerbCall,
  event: Event,
  options: WriteOptions,
  taken: (existing: EventRecord | undefined) => T,
  entries?: readonly ManagedFieldsEntry[],
): Result | T | Promise<Result | T> {
  const { dependencies, version } = call;
  const { store, textBytes } = dependencies;
  const { metadata } = event;
  const generated = metadata.name === undefined && Boolean(metadata.generateName);
  dedupeOwners(call, event, 'request');
  stamp(event, dependencies);
  let managedFields: string | undefined;
  if (entries) setManagedFields(event, entries);
  else managedFields = trackFields(call, options, event);
  let attempts = 0;

  const attempt = (): Result | T | Promise<Result | T> => {
    if (generated) {
      metadata.name = generateName(metadata.generateName ?? '');
      metadata.uid = dependencies.uids();
    }
    const errors = createErrors(event, version, dependencies.types);
    if (errors.length > 0) throw invalid(version.view.kind, metadata.name ?? '', errors);
    attempts++;
    requireEventRate(call, event, options);
    const key = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    if (options.dryRun) return dryRun(key);
    refuseResourceVersion(event);
    call.life.throwIfAborted();
    return settle(key, create, (_, record) => storedObject(call, 201, record), refused);
  };
  const create = (key: EventKey): EventRecord | Promise<EventRecord> => {
    const expiry = { expiresAt: expiryOf(dependencies) };
    const encoded = encodeEvent(event, managedFields, textBytes);
    return createStored(dependencies, key, encoded, expiry);
  };
  /** @throws any error but `exists` */
  const refused = async (key: EventKey, error: unknown): Promise<Result | T> => {
    if (!isStoreError(error) || error.code !== 'exists') throw error;
    return nameTaken(await store.get(key, call.life));
  };
  const dryRun = async (key: EventKey): Promise<Result | T> => {
    requireFits(store, encodeEvent(event, managedFields, textBytes));
    const existing = await store.get(key, call.life);
    if (existing) return nameTaken(existing);
    return { kind: 'object', status: 201, json: version.unstoredJson(event) };
  };
  const nameTaken = (existing: EventRecord | undefined): Result | T | Promise<Result | T> =>
    generated && attempts < NAME_ATTEMPTS ? attempt() : taken(existing);
  return attempt();
}

/**
 * Stores an event that an update or an apply did not find, which needs permission to create. Returns undefined if there
 * is one by now: the caller reads it again, as kube-apiserver does. @throws StatusFailure 400, 403, 422, 429
 */
export async function storeMissing(
  call: VerbCall,
  event: Event,
  options: WriteOptions,
  entries?: readonly ManagedFieldsEntry[],
): Promise<Result | undefined> {
  const { resourceVersion } = event.metadata;
  const wrong = resourceVersion ? uintError(resourceVersion) : undefined;
  if (wrong) throw badRequest(wrong);
  await authorize(call.dependencies.access, call.caller, { ...call.scope.attributes, verb: 'create' });
  delete event.metadata.resourceVersion;
  return storeNewEvent(call, event, options, () => undefined, entries);
}

/** Sets the uid and the times, regardless of what the client sent. */
function stamp({ metadata }: Event, { uids, wholeSeconds, time }: EventsDependencies): void {
  metadata.uid = uids();
  metadata.creationTimestamp = wholeSeconds(time.now());
  if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds;
}

function refuseResourceVersion(event: Event): void {
  const sent = event.metadata.resourceVersion ?? '';
  if (sent !== '' && !uintError(sent) && toRevision(sent) !== 0) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
}

/** Kubernetes' alphabet: without vowels, so that no words result, and without similar characters. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_BASE_BYTES = 58;

/** Larger bytes would favour the first letters of the alphabet. */
const BYTE_LIMIT = 256 - (256 % ALPHABET.length);

/** Returns a name from a prefix: at most 58 bytes of the prefix, in whole characters, and five random characters. */
export function generateName(base: string): string {
  let suffix = '';
  while (suffix.length < SUFFIX_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(16))) {
      if (byte < BYTE_LIMIT && suffix.length < SUFFIX_LENGTH) suffix += ALPHABET[byte % ALPHABET.length] ?? '';
    }
  }
  return beginning(base, MAX_BASE_BYTES) + suffix;
}
