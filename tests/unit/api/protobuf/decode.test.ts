import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { decodeBody, type DecodedBody } from '../../../../src/api/decode/decode-body.js';
import { decodeDeleteOptions } from '../../../../src/api/decode/delete-options.js';
import { MAGIC } from '../../../../src/api/protobuf/wire.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';
import { goldenNamed } from './golden.js';

const mediaType = 'application/vnd.kubernetes.protobuf';
const decode = async (
  body: Uint8Array,
  otherVersions?: ReadonlyMap<string, ReturnType<typeof eventShape>>,
): Promise<DecodedBody> =>
  decodeBody(body, {
    mediaType,
    shape: eventShape(),
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    fieldValidation: 'Strict',
    otherVersions,
    limits: createBodyLimits(),
  });

function saying(apiVersion: string, kind: string, message: Uint8Array = new Uint8Array(0)): Uint8Array {
  const writer = new BinaryWriter().raw(MAGIC);
  writer.tag(1, 2).fork().tag(1, 2).string(apiVersion).tag(2, 2).string(kind).join();
  return writer.tag(2, 2).bytes(message).finish();
}

const WRONG_TYPE = Uint8Array.of(0x38, 0x01);

describe('an object in protobuf', () => {
  it('is decoded like the same object in JSON', async () => {
    const { object, apiVersion, warnings } = await decode(goldenNamed('events/v1 Event, everything').bytes);
    expect({ apiVersion, warnings }).toEqual({ apiVersion: 'events.k8s.io/v1', warnings: [] });
    expect(object).toMatchObject({ eventTime: '2024-03-05T06:07:08.123456Z', deprecatedCount: -5 });
    expect(object).not.toHaveProperty('kind');
  });

  it.each([
    ['', ''],
    ['', 'Event'],
    ['events.k8s.io/v1', ''],
    ['a/b/c', 'Event'],
  ])('with the type %j %j is accepted as the expected one', async (apiVersion, kind) => {
    expect(await decode(saying(apiVersion, kind))).toMatchObject({ apiVersion: 'events.k8s.io/v1' });
  });

  it('of another version is decoded as such', async () => {
    const { object, apiVersion } = await decode(
      goldenNamed('core/v1 Event').bytes,
      new Map([['v1', coreEventShape()]]),
    );
    expect(apiVersion).toBe('v1');
    expect(object).toMatchObject({ message: 'm' });
  });

  it.each([
    [
      new TextEncoder().encode('{"apiVersion":"events.k8s.io/v1","kind":"Event"}'),
      'the object provided is unrecognized (must be of type Event): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({"apiVersion":"events.k8s.io/v ...)',
    ],
    [new Uint8Array(0), 'the object provided is unrecognized (must be of type Event): empty data (<empty>)'],
    [MAGIC, 'the object provided is unrecognized (must be of type Event): empty body (6b387300)'],
    [
      Uint8Array.of(...MAGIC, 0x0a),
      'the object provided is unrecognized (must be of type Event): unexpected EOF (6b3873000a)',
    ],
    [
      saying('events.k8s.io/v1', 'Event', WRONG_TYPE),
      'Event in version "v1" cannot be handled as a Event: proto: wrong wireType = 0 for field Reason',
    ],
    [
      saying('events.k8s.io/v2', 'Event'),
      'Event in version "v2" cannot be handled as a Event: no kind "Event" is registered for version "events.k8s.io/v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      saying('v1', 'Status'),
      'Status in version "v1" cannot be handled as a Event: converting (v1.Status) to (core.Event): unknown conversion',
    ],
  ])('that is invalid is refused (%#)', async (body, message) => {
    await expect(decode(body)).rejects.toMatchObject({ status: { code: 400, reason: 'BadRequest', message } });
  });
});

describe('delete options in protobuf', () => {
  it('are decoded from a message', async () => {
    expect(
      await decodeDeleteOptions(goldenNamed('DeleteOptions, everything').bytes, mediaType, createBodyLimits()),
    ).toMatchObject({
      gracePeriodSeconds: 0,
      preconditions: { uid: '11111111-1111-4111-8111-111111111111', resourceVersion: '42' },
      orphanDependents: false,
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
    expect(
      await decodeDeleteOptions(goldenNamed('DeleteOptions, nothing').bytes, mediaType, createBodyLimits()),
    ).toEqual({});
    expect(await decodeDeleteOptions(saying('anything/v7', 'DeleteOptions'), mediaType, createBodyLimits())).toEqual(
      {},
    );
  });

  it.each([
    [new TextEncoder().encode('{}'), 'provided data does not appear to be a protobuf message'],
    [saying('v1', 'Event'), 'no kind "Event" is registered for version "v1"'],
    [
      saying('v1', 'DeleteOptions', Uint8Array.of(0x0a, 0x00)),
      'proto: wrong wireType = 2 for field GracePeriodSeconds',
    ],
  ])('that are invalid are refused (%#)', async (body, message) => {
    await expect(async () => decodeDeleteOptions(body, mediaType, createBodyLimits())).rejects.toMatchObject({
      status: { code: 400, message: expect.stringContaining(message) as string },
    });
  });
});
