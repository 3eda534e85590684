import { describe, expect, it } from 'vitest';
import { checkChanged, createOwnEvents } from '../../../../src/cli/serve/own-events.js';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: Record<string, unknown>;
}

function api(statuses: number[] = []) {
  const sent: Sent[] = [];
  return {
    sent,
    handle: async ({ method, url, body }: { method: string; url: string; body?: unknown }) => {
      const text = String(await (body as () => unknown)());
      sent.push({ method, url, body: JSON.parse(text) as Record<string, unknown> });
      return { status: statuses.shift() ?? (method === 'POST' ? 201 : 200), headers: {}, body: null };
    },
  };
}

const occurrence = { type: 'Normal', action: 'Starting', reason: 'Started', note: 'serving' } as const;
const options = { group: 'events.example.com', instance: 'host-1', now: () => 1_700_000_000_123 };

describe('createOwnEvents', () => {
  it('creates a complete Event', async () => {
    const { handle, sent } = api();
    await createOwnEvents({ api: handle, ...options }).record(occurrence);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: '/apis/events.example.com/v1/namespaces/default/events',
      body: {
        ...occurrence,
        kind: 'Event',
        eventTime: '2023-11-14T22:13:20.123000Z',
        reportingController: 'events.example.com/standalone',
        reportingInstance: 'host-1',
      },
    });
  });

  it('counts a repetition as a series of the same Event', async () => {
    const { handle, sent } = api();
    const events = createOwnEvents({ api: handle, ...options });
    await Promise.all([events.record(occurrence), events.record(occurrence), events.record(occurrence)]);
    await events.record({ ...occurrence, note: 'other' });
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'POST']);
    expect(sent[1]?.url).toBe(`${sent[0]?.url}/${(sent[0]?.body['metadata'] as { name: string }).name}`);
    expect(sent[2]?.body).toEqual({ series: { count: 3, lastObservedTime: '2023-11-14T22:13:20.123000Z' } });
  });

  it('creates a new Event when the first has expired', async () => {
    const { handle, sent } = api([201, 404]);
    const events = createOwnEvents({ api: handle, ...options });
    await events.record(occurrence);
    await events.record(occurrence);
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST']);
  });

  it('rejects a refused Event, and continues with the next', async () => {
    const { handle } = api([403]);
    const events = createOwnEvents({ api: handle, ...options });
    await expect(events.record(occurrence)).rejects.toThrow('refused with 403');
    await expect(events.record(occurrence)).resolves.toBeUndefined();
  });
});

describe('checkChanged', () => {
  it('says which check has which status, and never why', () => {
    const reason = 'postgres://db-7.internal refused the password';
    for (const [status, type, expected] of [
      ['ok', 'Normal', 'HealthCheckPassing'],
      ['degraded', 'Warning', 'HealthCheckDegraded'],
      ['failed', 'Warning', 'HealthCheckFailing'],
    ] as const) {
      const occurrence = checkChanged({
        check: 'store',
        previous: undefined,
        status,
        reason,
        at: new Date(0),
      } as never);
      expect(occurrence).toEqual({
        type,
        action: 'CheckingHealth',
        reason: expected,
        note: `check store is ${status}`,
      });
    }
  });
});
