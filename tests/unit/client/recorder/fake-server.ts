import { connectionError, type Event } from '../../../../src/client.js';
import { statusError } from '../../../../src/client/contract/errors.js';
import type { RecorderClient } from '../../../../src/client/recorder/options.js';
import { nextTurn } from '../../../../src/clock/clock.js';

/** What happens to a request. `lost`: it is carried out without a response; `late`: after later ones. */
export type Outcome = 'ok' | 'away' | 'lost' | 'late' | 'unavailable' | 'throttled' | 'broken' | 'refused';

/** A server of events in memory. Tests decide what becomes of each request. */
export function fakeServer(outcomeOf: (request: { verb: string; name: string }) => Outcome = () => 'ok') {
  const stored = new Map<string, Event>();
  const calls: { verb: string; name: string; body: Event }[] = [];
  const late: (() => void)[] = [];
  /** The last known count of every event that there ever was. */
  const counts = new Map<string, number>();
  let revision = 0;

  const store = (name: string, event: Event, least = 0): Event => {
    const kept = { ...event, metadata: { ...event.metadata, resourceVersion: String(++revision) } };
    stored.set(name, kept);
    counts.set(name, Math.max(event.series?.count ?? 1, least));
    return kept;
  };
  const serve = async (verb: string, name: string, body: Event, act: () => Event): Promise<Event> => {
    calls.push({ verb, name, body: structuredClone(body) });
    await nextTurn();
    switch (outcomeOf({ verb, name })) {
      case 'away':
        throw connectionError('connect ECONNREFUSED', false);
      case 'lost':
        try {
          act();
        } catch {
          // The caller learns only that the connection broke.
        }
        throw connectionError('socket hang up', true);
      case 'late':
        late.push(act);
        throw connectionError('no answer in time', true);
      case 'unavailable':
        throw statusError({ reason: 'ServiceUnavailable' }, 503);
      case 'throttled':
        throw statusError({ reason: 'TooManyRequests' }, 429, 2_000);
      case 'broken':
        throw statusError({ reason: 'InternalError' }, 500);
      case 'refused':
        throw statusError({ reason: 'Invalid', message: 'it is invalid' }, 422);
      default:
        return structuredClone(act());
    }
  };
  const found = (name: string): Event => {
    const event = stored.get(name);
    if (event === undefined) throw statusError({ reason: 'NotFound' }, 404);
    return event;
  };

  const client: RecorderClient = {
    group: 'events.example.com',
    namespace: undefined,
    create(event) {
      const name = event.metadata.name as string;
      return serve('create', name, event, () => {
        if (stored.has(name)) throw statusError({ reason: 'AlreadyExists' }, 409);
        // A create that arrives after its event was deleted does not lower the count of that event.
        return store(name, event, counts.get(name));
      });
    },
    get: ({ name }) => serve('get', name, { metadata: {} }, () => found(name)),
    patch({ name }, { patch }) {
      const change = patch as Partial<Event>;
      return serve('patch', name, change as Event, () => {
        const event = found(name);
        const asked = change.metadata?.resourceVersion;
        if (asked !== undefined && asked !== event.metadata.resourceVersion) {
          throw statusError({ reason: 'Conflict' }, 409);
        }
        return store(name, { ...event, ...(change.series && { series: change.series }) });
      });
    },
  };
  return {
    client,
    stored,
    calls,
    counts,
    /** Everything that there is, oldest first. */
    events: () => [...stored.values()],
    /** Carries out the requests that were late. */
    arrive(): void {
      for (const act of late.splice(0)) {
        try {
          act();
        } catch {
          // A late request may be refused.
        }
      }
    },
  };
}
