// New events as the clients of Kubernetes send them: same content, other orders of keys, fields and headers.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ClientName, Target } from '../protocol.js';
import { eventBodies, type EventBodies } from './event-bodies.js';

/** How one client creates events. */
export interface ClientBodies {
  /** The path of the collection, with query. */
  readonly path: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly accept: string;
  /** Characters are bytes. */
  body(index: number): string;
}

interface SentEvent {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly regarding: Record<string, string>;
  readonly note: string;
  readonly type: string;
}

type Members = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** @param tag see {@link eventBodies} */
export function clientBodies(client: ClientName, target: Target, namespace: string, tag: string): ClientBodies {
  const events = eventBodies(target, namespace, tag);
  const collection = `${target.base}/namespaces/${namespace}/events`;
  const form = forms[client];
  return {
    path: (client === 'protobuf' ? `/api/v1/namespaces/${namespace}/events` : collection) + (form.query ?? ''),
    contentType: client === 'protobuf' ? PROTOBUF : JSON_TYPE,
    accept: client === 'protobuf' ? `${PROTOBUF},${JSON_TYPE}` : JSON_TYPE,
    userAgent: form.userAgent,
    body: template(events, form.text),
  };
}

/**
 * Serializes the first event only and puts the values of others into its text, so that the client is not the
 * bottleneck.
 */
function template(events: EventBodies, write: (event: SentEvent) => string): (index: number) => string {
  const text = write(JSON.parse(events.body(0)) as SentEvent);
  const variables = events.variables(0);
  const pattern = new RegExp(variables.map((value) => value.replaceAll('.', '\\.')).join('|'), 'g');
  const constants = text.split(pattern);
  const places = (text.match(pattern) ?? []).map((value) => variables.indexOf(value));
  return (index) => {
    const values = events.variables(index);
    let out = constants[0] ?? '';
    places.forEach((place, at) => (out += `${values[place] ?? ''}${constants[at + 1] ?? ''}`));
    return out;
  };
}

interface Form {
  readonly userAgent: string;
  readonly query?: string;
  text(event: SentEvent): string;
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const forms: Readonly<Record<ClientName, Form>> = {
  /** `@kubernetes/client-node`: the object as the program has written it. */
  node: { userAgent: 'kubernetes-client-node', text: (event) => JSON.stringify(event) },
  /** client-go: fields in the order of the struct, those without `omitempty` always. */
  go: {
    userAgent: 'reporter/v1.0.0 (linux/amd64) kubernetes/$Format',
    text: ({ kind, apiVersion, metadata: { name, namespace, labels }, ...rest }) =>
      JSON.stringify({
        kind,
        apiVersion,
        metadata: { name, namespace, creationTimestamp: null, labels },
        ...rest,
        deprecatedSource: {},
        deprecatedFirstTimestamp: null,
        deprecatedLastTimestamp: null,
      }),
  },
  /** `kubectl create -f --save-config`: keys in alphabetical order, and the whole object again in an annotation. */
  kubectl: {
    userAgent: 'kubectl/v1.35.0 (linux/amd64) kubernetes/0123456',
    query: '?fieldManager=kubectl-create&fieldValidation=Strict',
    text(event) {
      const applied = sorted({ ...event, metadata: { ...event.metadata, annotations: {} } });
      const annotations = { 'example.com/owner': 'team-shop', [LAST_APPLIED]: `${JSON.stringify(applied)}\n` };
      return `${JSON.stringify(sorted({ ...event, metadata: { ...event.metadata, annotations } }))}\n`;
    },
  },
  /** The Python client: `json.dumps` with a space after each comma and colon. */
  python: { userAgent: 'OpenAPI-Generator/35.0.0/python', text: (event) => spaced(sorted(event)) },
  /** client-go for the types of core/v1, which it sends as protobuf by default. */
  protobuf: { userAgent: 'reporter/v1.0.0 (linux/amd64) kubernetes/$Format', text: coreMessage },
};

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Members;
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((key) => [key, sorted(members[key])]),
  );
}

function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return `{${members.join(', ')}}`;
}

/** The core/v1 Event as protobuf, with the field numbers of `k8s.io/api/core/v1/generated.proto`. */
function coreMessage(event: SentEvent): string {
  const { metadata, regarding } = event;
  const meta = new BinaryWriter();
  texts(meta, { 1: metadata.name, 3: metadata.namespace });
  message(meta, 8, new BinaryWriter());
  for (const [key, value] of Object.entries(metadata.labels)) {
    message(meta, 11, texts(new BinaryWriter(), { 1: key, 2: value }));
  }
  const out = new BinaryWriter();
  message(out, 1, meta);
  const fields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
  const reference = Object.fromEntries(fields.map((field, index) => [index + 1, regarding[field] ?? '']));
  message(out, 2, texts(new BinaryWriter(), reference));
  texts(out, { 3: event.reason, 4: event.note });
  message(out, 5, texts(new BinaryWriter(), { 1: '', 2: '' }));
  message(out, 6, new BinaryWriter());
  message(out, 7, new BinaryWriter());
  out.tag(8, WireType.Varint).int32(0);
  texts(out, { 9: event.type });
  message(out, 10, timestamp(event.eventTime));
  texts(out, { 12: event.action, 14: event.reportingController, 15: event.reportingInstance });
  const type = texts(new BinaryWriter(), { 1: 'v1', 2: 'Event' });
  const envelope = new BinaryWriter();
  message(envelope, 1, type);
  message(envelope, 2, out);
  texts(envelope, { 3: '', 4: '' });
  return `k8s\0${Buffer.from(envelope.finish()).toString('latin1')}`;
}

function texts(writer: BinaryWriter, fields: Readonly<Record<number, string>>): BinaryWriter {
  for (const [number, value] of Object.entries(fields)) {
    writer.tag(Number(number), WireType.LengthDelimited).string(value);
  }
  return writer;
}

function message(writer: BinaryWriter, number: number, inner: BinaryWriter): void {
  writer.tag(number, WireType.LengthDelimited).bytes(inner.finish());
}

function timestamp(text: string): BinaryWriter {
  const nanos = Number(/\.(\d{6})Z$/.exec(text)?.[1] ?? 0) * 1000;
  const seconds = Math.floor(Date.parse(text) / 1000);
  return new BinaryWriter().tag(1, WireType.Varint).int64(seconds).tag(2, WireType.Varint).int32(nanos);
}
