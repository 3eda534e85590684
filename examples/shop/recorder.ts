import { randomUUID } from 'node:crypto';
import type { ApiHandler, Event } from 'kube-vitals';

/** What happened, in the words of the shop. `action`, `reason` and `note` are the fields of an Event. */
export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  readonly action: string;
  readonly reason: string;
  readonly note: string;
  /** What it happened to. Default: the shop itself. */
  readonly about?: { readonly kind: string; readonly name: string };
}

/** What {@link createRecorder} needs. */
export interface RecorderOptions {
  /** Takes the events: `events.as(caller)`. The caller needs the right to create events in the namespace. */
  readonly api: ApiHandler;
  /** The API group, such as `events.example.com`. */
  readonly group: string;
  readonly namespace: string;
}

/** Records events through the API itself, only without a socket. The promise rejects when the API refuses. */
export function createRecorder({ api, group, namespace }: RecorderOptions): (happened: Occurrence) => Promise<void> {
  const url = `/apis/${group}/v1/namespaces/${namespace}/events`;
  return async ({ about = { kind: 'Shop', name: 'shop' }, ...happened }) => {
    const event: Event = {
      apiVersion: `${group}/v1`,
      kind: 'Event',
      // A name of its own: not everything that events are about has a name that an object may have.
      metadata: { name: `shop.${randomUUID()}`, namespace },
      eventTime: new Date().toISOString().replace('Z', '000Z'),
      reportingController: 'example.com/shop',
      reportingInstance: `shop-${process.pid}`,
      regarding: { apiVersion: 'shop.example.com/v1', namespace, ...about },
      ...happened,
      // The API takes up to 1,024 bytes, and a reason may be long.
      note: happened.note.slice(0, 256),
    };
    const headers = { 'content-type': 'application/json' };
    const answer = await api({ method: 'POST', url, headers, body: () => JSON.stringify(event) });
    if (answer?.status !== 201) throw new Error(`the event was refused: ${answer?.status} ${String(answer?.body)}`);
  };
}
