import { describe, expect, it } from 'vitest';
import { connectionError, createEventsClient, isAlreadyExists } from '../../../../src/client.js';
import { scriptedClient, event, failureOf, json, refused } from '../scripted-client.js';
import { served } from '../served.js';

const reset = connectionError('reset', true);
const taken = refused(409, 'AlreadyExists');
const TWICE = { retries: 1 };
const SOON = { firstDelayMs: 1, longestDelayMs: 1 };
const DATE = { date: 'Mon, 01 Jan 2024 00:01:00 GMT' };

/** An event as it was stored at a time. */
const storedAt = (time: string, more: object = {}, headers = DATE) =>
  json(
    200,
    { ...event('a'), kind: 'Event', metadata: { name: 'a', namespace: 'default', creationTimestamp: time }, ...more },
    headers,
  );
const own = storedAt('2024-01-01T00:00:59Z');

describe('a create whose outcome is unknown', () => {
  it('is sent again, and succeeds where it had not been carried out', async () => {
    const { client, asked } = scriptedClient([reset, json(201, { ...event('a'), kind: 'Event' })]);
    expect((await client.create(event('a'))).metadata.name).toBe('a');
    expect(asked.map(({ line }) => line.split(' ')[0])).toEqual(['POST', 'POST']);
  });

  it.each([
    ['a reset connection', reset],
    ['504', refused(504, 'Timeout')],
    ['502 of a proxy', { status: 502, headers: {}, body: 'Bad Gateway' }],
  ])('after %s succeeds where it had been carried out, which the stored event shows', async (_, failure) => {
    const { client, asked } = scriptedClient([failure, taken, own]);
    expect((await client.create(event('a'))).metadata.creationTimestamp).toBe('2024-01-01T00:00:59Z');
    expect(asked.map(({ line }) => line.split(' ')[0])).toEqual(['POST', 'POST', 'GET']);
  });

  it('succeeds where somebody has added to the series and the labels since', async () => {
    const series = { count: 2, lastObservedTime: '2024-01-01T00:00:59.000000Z' };
    const labels = { creationTimestamp: '2024-01-01T00:00:59Z', name: 'a', labels: { a: 'b' } };
    const { client } = scriptedClient([reset, taken, storedAt('', { series, metadata: labels })]);
    expect((await client.create(event('a'))).series?.count).toBe(2);
  });

  it('succeeds where the server writes times with six digits', async () => {
    const { client } = scriptedClient([
      reset,
      taken,
      storedAt('2024-01-01T00:00:59Z', { eventTime: '2026-03-05T06:07:08.100000Z' }),
    ]);
    expect((await client.create(event('a', { eventTime: '2026-03-05T08:07:08.1+02:00' }))).reason).toBe('Tested');
  });

  it('succeeds where the server replaced a half of a surrogate pair', async () => {
    const { client } = scriptedClient([reset, taken, storedAt('2024-01-01T00:00:59Z', { note: 'cut \uFFFD' })]);
    expect((await client.create(event('a', { note: 'cut \uD83D' }))).note).toBe('cut \uFFFD');
  });

  it('succeeds where the server leaves out what was sent empty, or has it as null', async () => {
    const { client } = scriptedClient([
      reset,
      taken,
      own,
      reset,
      taken,
      storedAt('2024-01-01T00:00:59Z', { note: '', deprecatedFirstTimestamp: null, related: null }),
      reset,
      taken,
      storedAt('2024-01-01T00:00:59Z', { note: 'x' }),
    ]);
    const empty = { note: '', series: undefined, deprecatedFirstTimestamp: null, related: undefined };
    for (let i = 0; i < 2; i++) expect((await client.create(event('a', empty))).reason).toBe('Tested');
    expect(await failureOf(client.create(event('a', empty)))).toSatisfy(isAlreadyExists);
  });

  it('rejects with AlreadyExists where the name belongs to another event', async () => {
    for (const other of [
      storedAt('2024-01-01T00:00:59Z', { reason: 'Other' }),
      storedAt('2024-01-01T00:00:59Z', { eventTime: '2026-03-05T06:07:08.123457Z' }),
      storedAt('2024-01-01T00:00:59Z', { regarding: { kind: 'Pod', namespace: 'default', name: 'web-2' } }),
      storedAt('2024-01-01T00:00:59Z', { note: undefined, regarding: undefined }),
    ]) {
      const { client } = scriptedClient([reset, taken, other]);
      expect(await failureOf(client.create(event('a')))).toSatisfy(isAlreadyExists);
    }
  });

  it('rejects with AlreadyExists where an equal event is older than the call', async () => {
    const { client } = scriptedClient([reset, taken, storedAt('2024-01-01T00:00:30Z')]);
    expect(await failureOf(client.create(event('a')))).toSatisfy(isAlreadyExists);
  });

  it.each([
    ['the event is gone', refused(404, 'NotFound')],
    ['the event must not be read', refused(403, 'Forbidden')],
  ])('remains unknown where %s', async (_, read) => {
    const { client } = scriptedClient([reset, taken, read]);
    expect(await failureOf(client.create(event('a')))).toMatchObject({
      name: 'ConnectionError',
      sent: true,
      message: 'whether the event was created is not known',
      cause: { name: 'StatusError', code: read.status },
    });
  });

  it('remains unknown where later attempts do not reach the server, or are refused for other reasons', async () => {
    for (const later of [connectionError('refused', false), refused(403, 'Forbidden')]) {
      const { client } = scriptedClient([reset, later], { retry: TWICE });
      expect(await failureOf(client.create(event('a')))).toMatchObject({ name: 'ConnectionError', sent: true });
    }
  });

  it('is refused where the server refuses its content', async () => {
    const { client } = scriptedClient([reset, refused(422, 'Invalid')]);
    expect(await failureOf(client.create(event('a')))).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it('stores nothing twice, over a server that carries everything out and loses every other response', async () => {
    const events = served();
    const handler = events.as({ name: 'tester' });
    let requests = 0;
    const client = createEventsClient({
      transport: async (request) => {
        const response = await handler(request);
        if (++requests % 2 === 1) throw reset;
        return response;
      },
      group: events.group,
      namespace: 'default',
      retry: SOON,
    });
    for (let index = 0; index < 20; index++) await client.create(event(`e-${index}`));
    const names = (await client.list().toArray()).map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(20);
    expect(names).toHaveLength(20);
  });
});

describe('a create', () => {
  it('whose name was taken from the beginning rejects at once', async () => {
    const { client, asked } = scriptedClient([taken]);
    expect(await failureOf(client.create(event('a')))).toSatisfy(isAlreadyExists);
    expect(asked).toHaveLength(1);
  });

  it('sends the kind and apiVersion of the client, whatever the event has', async () => {
    const { client, asked } = scriptedClient([own]);
    await client.create({ ...event('a'), apiVersion: 'events.k8s.io/v1' });
    expect(asked[0]).toMatchObject({
      line: 'POST /apis/events.example.com/v1/namespaces/default/events?fieldManager=kube-vitals',
      body: { kind: 'Event', apiVersion: 'events.example.com/v1' },
    });
  });
});
