import { randomUUID } from 'node:crypto';
import type { ApiHandler, ApiResponse, Event, HealthChange } from '../../index.js';

/** What happened. `action`, `reason` and `note` are the fields of an Event. */
export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  readonly action: string;
  readonly reason: string;
  readonly note: string;
}

const CHANGES = { ok: 'HealthCheckPassing', degraded: 'HealthCheckDegraded', failed: 'HealthCheckFailing' } as const;

/**
 * A check that changed its status. Why it did is left to the log: `/readyz` withholds reasons from callers without the right
 * to them, and everybody who may read the namespace `default` reads these Events.
 */
export function checkChanged({ check, status }: HealthChange): Occurrence {
  return {
    type: status === 'ok' ? 'Normal' : 'Warning',
    action: 'CheckingHealth',
    reason: CHANGES[status],
    note: `check ${check} is ${status}`,
  };
}

/** Records Events about this server. */
export interface OwnEvents {
  /**
   * Records what happened; the same again within an hour goes on the Event that is there already, as a series. Rejects when
   * the API refuses.
   */
  readonly record: (occurrence: Occurrence) => Promise<void>;
}

/** What {@link createOwnEvents} needs. */
export interface OwnEventsOptions {
  /** A handler that may write events in the namespace `default`. */
  readonly api: ApiHandler;
  /** `events.example.com`. */
  readonly group: string;
  /** This process, among others like it. */
  readonly instance: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

interface Recorded {
  readonly name: string;
  count: number;
}

/** A recorder that calls the API as any client does, without a socket. Writes happen one after the other. */
export function createOwnEvents({ api, group, instance, now = Date.now }: OwnEventsOptions): OwnEvents {
  const collection = `/apis/${group}/v1/namespaces/default/events`;
  const recorded = new Map<string, Recorded>();
  let last: Promise<void> = Promise.resolve();

  const send = async (method: string, url: string, contentType: string, body: object): Promise<ApiResponse> => {
    const headers = { 'content-type': contentType };
    const answer = await api({ method, url, headers, body: () => JSON.stringify(body) });
    if (answer === undefined) throw new Error(`nobody answers ${url}`);
    return answer;
  };

  const create = async (key: string, occurrence: Occurrence): Promise<void> => {
    const name = `kube-vitals.${randomUUID()}`;
    const event: Event = {
      apiVersion: `${group}/v1`,
      kind: 'Event',
      metadata: { name, namespace: 'default' },
      eventTime: microTime(now()),
      reportingController: `${group}/standalone`,
      reportingInstance: instance.slice(0, 128),
      regarding: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: `v1.${group}` },
      ...occurrence,
      note: occurrence.note.slice(0, 300),
    };
    const { status } = await send('POST', collection, 'application/json', event);
    if (status !== 201) throw new Error(`the event was refused with ${status}`);
    recorded.set(key, { name, count: 1 });
  };

  const countRepeat = async (entry: Recorded): Promise<boolean> => {
    const series = { count: entry.count + 1, lastObservedTime: microTime(now()) };
    const { status } = await send('PATCH', `${collection}/${entry.name}`, 'application/merge-patch+json', { series });
    if (status === 200) entry.count += 1;
    else if (status !== 404) throw new Error(`the series was refused with ${status}`);
    return status === 200;
  };

  return {
    record(occurrence) {
      const key = JSON.stringify([occurrence.type, occurrence.action, occurrence.reason, occurrence.note]);
      const work = last.then(async () => {
        const entry = recorded.get(key);
        // 404: it has expired, or somebody deleted it.
        if (entry === undefined || !(await countRepeat(entry))) await create(key, occurrence);
      });
      last = work.catch(() => undefined);
      return work;
    },
  };
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
