// Single steps of the library, imported from its sources, because they are not exported. A separate process, so that no
// other code is warm.
import { Bench as Tinybench } from 'tinybench';
import { createBodyLimits } from '../../src/api/body/parse-body.js';
import { decodeBody } from '../../src/api/decode/decode-body.js';
import { updateManagedFields } from '../../src/api/managed-fields/update-managed-fields.js';
import { jsonSerializer } from '../../src/api/representation/json.js';
import type { FrameWriter } from '../../src/api/representation/serializer.js';
import { parseFieldSelector } from '../../src/api/selectors/field-selector.js';
import { encodeEvent } from '../../src/events/stored-form/encode-event.js';
import { createErrors } from '../../src/events/rules/event-rules.js';
import { eventsV1 } from '../../src/events/versions/events-v1.js';
import { jsonBytes } from '../../src/json/json-source.js';
import type { Event } from '../../src/model/event.js';
import { eventBodies } from '../client/event-bodies.js';
import { BASE } from '../protocol.js';
import { answerCalls } from '../rpc.js';

answerCalls({ measure });

/** Times of the steps as ratios of JSON.parse (reading steps) or JSON.stringify (all others). */
async function measure(timeMs: number): Promise<Record<string, number>> {
  const version = eventsV1('example.com');
  const { apiVersion, kind, shape } = version.view;
  const target = { host: '', port: 0, base: BASE, token: '' };
  const text = eventBodies(target, 'shop').body(42);
  const bytes = new TextEncoder().encode(text);
  const decode = {
    mediaType: 'application/json',
    shape,
    kind,
    apiVersion,
    otherVersions: version.otherVersions,
    fieldValidation: 'Warn',
    limits: createBodyLimits(),
  } as const;
  const decoded = await decodeBody(bytes, decode);
  const event = version.fromWire(decoded.object);
  event.metadata.uid = '5f2b1c3d-0000-4000-8000-000000000000';
  event.metadata.creationTimestamp = '2026-01-02T03:04:05Z';
  const tracking = {
    version: version.view,
    manager: 'bench',
    time: '2026-01-02T03:04:05Z',
  };
  const managed = updateManagedFields({ ...tracking, next: version.toWire(event) });
  const stored: Event = { ...event, metadata: { ...event.metadata, ...(managed && { managedFields: [...managed] }) } };
  const encoded = encodeEvent(stored);
  const key = { namespace: 'shop', name: event.metadata.name ?? '' };
  const record = { key, revision: 1_760_000_000_000_000, event: encoded, expiresAt: 0 };
  const types = new Set(['Normal', 'Warning']);
  const selector = parseFieldSelector('type=Warning,regarding.name!=web-0', version.selectable);
  const frame = jsonSerializer.frames(version.view) as FrameWriter;

  const bench = new Tinybench({ time: timeMs, warmupTime: timeMs / 4 });
  bench
    .add('parse', () => JSON.parse(text) as unknown)
    .add('stringify', () => JSON.stringify(stored))
    .add('decode', () => decodeBody(bytes, decode))
    .add('validate', () => createErrors(event, version, types))
    .add('managed-fields', () => updateManagedFields({ ...tracking, next: version.toWire(event) }))
    .add('encode', () => encodeEvent(stored))
    .add('selector-match', () => selector.matches(encoded))
    .add('object', () => jsonBytes(version.object(record)))
    .add('frame', () => frame('ADDED', jsonBytes(version.object(record))));
  await bench.run();

  const mean = (name: string): number => {
    const result = bench.getTask(name)?.result;
    if (!result || !('latency' in result)) throw new Error(`${name} has no result`);
    return result.latency.p50;
  };
  const ratio = (name: string, base: 'parse' | 'stringify'): number => mean(name) / mean(base);
  return {
    decode: ratio('decode', 'parse'),
    validate: ratio('validate', 'parse'),
    'managed-fields': ratio('managed-fields', 'stringify'),
    encode: ratio('encode', 'stringify'),
    'selector-match': ratio('selector-match', 'stringify'),
    object: ratio('object', 'stringify'),
    frame: ratio('frame', 'stringify'),
  };
}
