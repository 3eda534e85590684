import { randomBytes } from 'node:crypto';
import { isLost, type HttpResponse, type HttpClient, type Lost } from './http-client.js';
import { noteOf, type Call, type History } from './history.js';
import type { Server } from './standalone.js';

/** What the clients of a test send and read, and how their responses become a history. */
export interface EventApi {
  readonly create: (server: Server, client: number, key: string) => Promise<void>;
  /** Replaces the whole event, given what was read of it. */
  readonly update: (server: Server, client: number, key: string, read: Stored) => Promise<void>;
  /** Changes an annotation, whatever the event's revision. */
  readonly patch: (server: Server, client: number, key: string) => Promise<void>;
  /** Removes the event with this uid, or any that has the name. */
  readonly remove: (server: Server, client: number, key: string, uid?: string) => Promise<void>;
  readonly get: (server: Server, client: number, key: string) => Promise<Stored | undefined>;
  readonly list: (server: Server) => Promise<void>;
}

/** The parts of an event that tests look at. */
export interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    /** `write` names the last write: an annotation, because hardly any field of an event may change. */
    readonly annotations?: { readonly write?: string };
  };
}

export const GROUP = 'events.example.com';

/** The events of a namespace. */
export function eventsPath(namespace: string, name?: string): string {
  return `/apis/${GROUP}/v1/namespaces/${namespace}/events${name === undefined ? '' : `/${name}`}`;
}

/** A new event whose annotation names its write. `ballast`: bytes of it that cannot be compressed. */
export function newEvent(namespace: string, name: string, id: string, ballast = 0): object {
  const annotations = {
    write: noteOf(id),
    ...(ballast > 0 && { ballast: randomBytes(Math.ceil(ballast / 2)).toString('hex') }),
  };
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'Event',
    metadata: { name, namespace, annotations },
    eventTime: '2026-01-02T03:04:05.678901Z',
    reportingController: 'example.com/tester',
    reportingInstance: 'tester-1',
    action: 'Test',
    reason: 'Tested',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace, name: `pod-${name}` },
    note: `note of ${name}`,
  };
}

/** For {@link createEventApi}. */
export interface EventApiOptions {
  readonly http: HttpClient;
  readonly namespace: string;
  readonly history: History;
  readonly ballast?: number;
  /** Told of every acknowledged write. */
  readonly onAcknowledged?: (server: Server, invoked: number, returned: number) => void;
}

/** Makes an {@link EventApi} that adds all calls to the history. */
export function createEventApi({ http, namespace, history, ballast = 0, ...more }: EventApiOptions): EventApi {
  let count = 0;
  const now = (): number => performance.now();

  /** Sends a request; measures its time, and notes responses that no client may ever get. */
  const asked = async (
    server: Server,
    method: string,
    key?: string,
    body?: unknown,
  ): Promise<[HttpResponse | Lost, Timing]> => {
    const invoked = now();
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await http.ask(server, { method, path: eventsPath(namespace, key), body, contentType });
    const timing = { invoked, returned: now() };
    history.worstMs = Math.max(history.worstMs, timing.returned - invoked);
    const what = `${method} ${key ?? 'events'} at ${server.name}`;
    if (isLost(response)) {
      if (response.lost === 'late') history.wrong.push(`${what}: no response within the deadline`);
    } else if (![200, 201, 404, 409, 429, 503, 504].includes(response.status)) {
      history.wrong.push(`${what}: ${response.status} ${response.text.slice(0, 300)}`);
    } else if (response.status === 503 && response.headers['retry-after'] === undefined) {
      history.wrong.push(`${what}: 503 without Retry-After ${response.text.slice(0, 300)}`);
    }
    return [response, timing];
  };

  interface Attempt {
    readonly server: Server;
    readonly client: number;
    readonly key: string;
    readonly kind: 'create' | 'update' | 'patch' | 'delete';
    readonly id: string;
    readonly expected?: number;
    readonly uid?: string | undefined;
    readonly body: unknown;
  }
  const METHODS = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

  const write = async ({ server, client, key, kind, id, expected, uid, body }: Attempt): Promise<void> => {
    const at = kind === 'create' ? undefined : key;
    const [response, timing] = await asked(server, METHODS[kind], at, body);
    const call: Call = { client, key, ...timing };
    const outcome = outcomeOf(response, expected);
    if (outcome === 'acknowledged') {
      const { text } = response as HttpResponse;
      const answered = JSON.parse(text) as Stored & { details?: { uid?: string } };
      more.onAcknowledged?.(server, timing.invoked, timing.returned);
      if (kind === 'delete') history.writes.push({ ...call, id, kind, acknowledged: true, uid: answered.details?.uid });
      else {
        const revision = Number(answered.metadata.resourceVersion);
        history.writes.push({ ...call, id, kind, expected, acknowledged: true, revision, text: text.trimEnd() });
      }
    } else if (outcome === 'unknown') {
      history.writes.push({ ...call, returned: Infinity, id, kind, expected, uid, acknowledged: false });
    } else {
      if (outcome === 'refused') history.unavailable++;
      history.refused.set(id, isLost(response) ? response.reason : `${response.status} ${response.text.slice(0, 200)}`);
      // A deletion with a condition on the uid, when refused, shows nothing about the name.
      if (outcome !== 'refused' && uid === undefined) history.refusals.push({ ...call, found: outcome });
    }
  };

  const nextId = (client: number): string => `${client}.${++count}`;
  return {
    create(server, client, key) {
      const id = nextId(client);
      return write({ server, client, key, kind: 'create', id, body: newEvent(namespace, key, id, ballast) });
    },
    update(server, client, key, read) {
      const id = nextId(client);
      const expected = Number(read.metadata.resourceVersion);
      return write({ server, client, key, kind: 'update', id, expected, body: changed(read, id) });
    },
    patch(server, client, key) {
      const id = nextId(client);
      return write({
        server,
        client,
        key,
        kind: 'patch',
        id,
        body: { metadata: { annotations: { write: noteOf(id) } } },
      });
    },
    remove(server, client, key, uid) {
      const preconditions = { uid };
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...(uid !== undefined && { preconditions }) };
      return write({ server, client, key, kind: 'delete', id: nextId(client), uid, body });
    },
    async get(server, client, key) {
      const [response, timing] = await asked(server, 'GET', key);
      if (isLost(response) || (response.status !== 200 && response.status !== 404)) return undefined;
      const stored = response.status === 200 ? (JSON.parse(response.text) as Stored) : undefined;
      const revision = stored === undefined ? undefined : Number(stored.metadata.resourceVersion);
      history.reads.push({ client, key, ...timing, revision, text: response.text.trimEnd() });
      return stored;
    },
    async list(server) {
      const [response, timing] = await asked(server, 'GET');
      if (isLost(response) || response.status !== 200) return;
      const list = JSON.parse(response.text) as { metadata: { resourceVersion: string }; items: Stored[] };
      const items = new Map(list.items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]));
      history.lists.push({ ...timing, revision: Number(list.metadata.resourceVersion), items });
    },
  };
}

function changed(read: Stored, id: string): Stored {
  return { ...read, metadata: { ...read.metadata, annotations: { ...read.metadata.annotations, write: noteOf(id) } } };
}

interface Timing {
  readonly invoked: number;
  readonly returned: number;
}

type Outcome = 'acknowledged' | 'unknown' | 'refused' | 'present' | 'absent' | { readonly otherThan: number };

/** The outcome of a write, as far as the response shows it. */
function outcomeOf(response: HttpResponse | Lost, expected: number | undefined): Outcome {
  // Nothing listened on the port, so nothing happened.
  if (isLost(response)) return response.lost === 'refused' ? 'refused' : 'unknown';
  switch (response.status) {
    case 200:
    case 201:
      return 'acknowledged';
    case 404:
      return 'absent';
    case 409:
      if (response.text.includes('"AlreadyExists"')) return 'present';
      return expected === undefined ? 'refused' : { otherThan: expected };
    case 429:
    case 503:
      // Neither changed anything.
      return 'refused';
    default:
      return 'unknown';
  }
}
