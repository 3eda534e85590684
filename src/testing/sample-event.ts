import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aString, mustBe } from '../options/rules.js';
import type { ByteHints } from '../store/contract/byte-hints.js';
import type { EncodedEvent } from '../store/contract/record.js';

/** Options of {@link sampleEvent}. */
export interface SampleEventOptions {
  /** The namespace of the event. */
  readonly namespace?: string | undefined;
  /** The name of the event. */
  readonly name?: string | undefined;
  /** The UID of the event. */
  readonly uid?: string | undefined;
  /** The text of the event. */
  readonly note?: string | undefined;
  /** The name of the object the event is about. */
  readonly regarding?: string | undefined;
  /** Labels. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

const rules = (): OptionRules<SampleEventOptions> => ({
  namespace: aString,
  name: aString,
  uid: aString,
  note: aString,
  regarding: aString,
  labels: mustBe((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object'),
});

/**
 * A small event in the form in which stores get it. Equal options give equal bytes.
 *
 * @throws TypeError that lists every fault of the options
 */
export function sampleEvent(options: SampleEventOptions = {}): EncodedEvent {
  checkOptions('sampleEvent', options, rules());
  const { namespace = 'default', name = 'sample', note = 'a sample', regarding = 'pod-1', labels = {} } = options;
  const uid = options.uid ?? `uid-of-${namespace}/${name}`;
  const created = '2024-01-01T00:00:00Z';
  const head = `{"metadata":${JSON.stringify({ name, namespace, uid }).slice(0, -1)},`;
  const rest = JSON.stringify({
    eventTime: '2024-01-01T00:00:00.000000Z',
    reportingController: 'example.com/sample',
    reportingInstance: 'sample-1',
    action: 'Sampled',
    reason: 'Sampling',
    regarding: { kind: 'Pod', namespace, name: regarding, uid: `uid-of-${regarding}` },
    note,
    type: 'Normal',
  }).slice(1);
  const metadata = `"creationTimestamp":"${created}","labels":${JSON.stringify(labels)}},`;
  const bytes = encoder.encode(head + metadata + rest);
  const cut = lengthOf(head);
  const beforeName = '{"metadata":{"name":"';
  const event = {
    bytes,
    cut,
    uid,
    fields: {
      'metadata.name': name,
      'metadata.namespace': namespace,
      'regarding.kind': 'Pod',
      'regarding.namespace': namespace,
      'regarding.name': regarding,
      'regarding.uid': `uid-of-${regarding}`,
      reportingController: 'example.com/sample',
      source: 'example.com/sample',
      reason: 'Sampling',
      type: 'Normal',
    },
    labels,
  };
  const hints: ByteHints = {
    name: beforeName.length,
    namespace: lengthOf(`${beforeName}${name}","namespace":"`),
    uid: cut - lengthOf(`${uid}",`),
    regardingVersion: -1,
    shared: [{ start: cut, end: cut + lengthOf(metadata) }],
    suffix: bytes.length - ',"type":"Normal"}'.length,
  };
  // Stores do not return hints, so that they must not count when events are compared.
  return Object.defineProperty(event, 'hints', { value: hints });
}

const encoder = new TextEncoder();
const lengthOf = (text: string): number => encoder.encode(text).length;
