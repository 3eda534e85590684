import type { Event } from '../../model/event.js';
import type { EventsClient } from '../contract/events-client.js';
import { isForbidden, isNotFound, isStatusError } from '../contract/errors.js';
import { microTime } from '../../time/timestamp.js';
import type { Series } from './series.js';

/** How often a write is attempted because the state of the event was not the expected one. */
const ATTEMPTS = 8;

export type EventWriter = Pick<EventsClient, 'create' | 'get' | 'patch'>;

/**
 * Writes the count of a series, and returns it. It can be repeated whatever the outcome was: the recorder chooses the
 * name, counts are absolute, and a patch contains the latest known revision, so that a late one changes nothing.
 */
export async function writeSeries(
  client: EventWriter,
  series: Series,
  newName: () => string,
  signal: AbortSignal,
): Promise<number> {
  for (let left = ATTEMPTS; ;) {
    const { event, version, count, lastMicros } = series;
    const exists = version !== undefined;
    if (exists && count === 1) return count;
    const change = count > 1 && { series: { count, lastObservedTime: microTime(lastMicros) } };
    try {
      const stored = exists
        ? await client.patch(
            event.metadata,
            { type: 'merge', patch: { ...(version && { metadata: { resourceVersion: version } }), ...change } },
            { signal },
          )
        : await client.create({ ...event, ...change }, { signal });
      series.version = stored.metadata.resourceVersion ?? '';
      // A create whose outcome was unknown may return the event of an earlier one, with the count of then.
      if (exists || (stored.series?.count ?? 1) >= count) return count;
    } catch (error) {
      if (--left <= 0) throw error;
      if (exists && isNotFound(error)) series.version = undefined;
      else if (isStatusError(error) && error.code === 409) await readAgain(client, series, newName, signal);
      else throw error;
    }
  }
}

/** Reads the event after a create was refused because its name is taken, or a patch because the revision differs. */
async function readAgain(
  client: EventWriter,
  series: Series,
  newName: () => string,
  signal: AbortSignal,
): Promise<void> {
  const { event } = series;
  try {
    const stored = await client.get(event.metadata, { signal });
    if (isOwn(stored, event)) series.version = stored.metadata.resourceVersion ?? '';
    else {
      series.version = undefined;
      event.metadata.name = newName();
    }
  } catch (error) {
    // A caller that may not read takes the event to be its own: names contain a random number.
    if (isForbidden(error)) series.version = '';
    else if (isNotFound(error)) series.version = undefined;
    else throw error;
  }
}

const FIXED = ['eventTime', 'reportingInstance', 'reason', 'note'] as const;

/** Servers store U+FFFD for half of a surrogate pair. */
const isOwn = (stored: Event, event: Event): boolean =>
  FIXED.every((name) => (stored[name] ?? '') === (event[name] ?? '').toWellFormed());
