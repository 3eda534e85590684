import { describe, expect, it } from 'vitest';
import { recordHealthChanges } from '../../../src/client.js';
import { eventMatchers, fakeClock, testRecorder } from '../../../src/testing.js';

expect.extend(eventMatchers);

const paid = { regarding: { kind: 'Order', name: 'o-1' }, reason: 'Paid', action: 'Charge', note: '3 × tea' };

describe('the recorder for tests', () => {
  it('has what was recorded as soon as it was recorded, copied and completed', () => {
    const recorder = testRecorder({ reportingController: 'example.com/shop', namespace: 'shop', clock: fakeClock() });
    const input = { ...paid };
    recorder.event(input);
    input.reason = 'changed';
    expect(recorder.recorded).toEqual([
      {
        metadata: { namespace: 'shop' },
        eventTime: '2024-01-01T00:00:00.000000Z',
        reportingController: 'example.com/shop',
        reportingInstance: 'test-0',
        ...paid,
        regarding: { kind: 'Order', name: 'o-1', apiVersion: 'example.com/v1', namespace: 'shop' },
        type: 'Normal',
      },
    ]);
    recorder.clear();
    expect(recorder.recorded).toEqual([]);
  });

  it('counts equal events as a server would', () => {
    const recorder = testRecorder();
    for (let times = 0; times < 3; times++) recorder.event(paid);
    recorder.event({ ...paid, note: 'coffee' });
    expect(recorder.events().map(({ note, series }) => [note, series?.count])).toEqual([
      ['3 × tea', 3],
      ['coffee', undefined],
    ]);
    expect(recorder.stats()).toMatchObject({ recorded: 4, written: 4, series: 2 });
  });

  it('throws input with a fault, so that the test fails, or drops it', async () => {
    expect(() => testRecorder().event({ ...paid, reason: '' })).toThrow('reason must be a string');
    const recorder = testRecorder({ invalid: 'drop' });
    recorder.event({ ...paid, reason: '' });
    await recorder.close();
    recorder.event(paid);
    expect(recorder.dropped.map(({ reason }) => reason)).toEqual(['invalid', 'closed']);
    expect(recorder.stats()).toMatchObject({ recorded: 2, written: 0, dropped: { invalid: 1, closed: 1 } });
  });
});

describe('toHaveRecorded', () => {
  it('passes where an event has the fields', () => {
    const recorder = testRecorder();
    recorder.event(paid);
    recorder.event(paid);
    expect(recorder).toHaveRecorded({ reason: 'Paid' });
    expect(recorder).toHaveRecorded({ note: /tea$/, regarding: { name: 'o-1' } }, 2);
    expect(recorder).toHaveRecorded({ note: expect.stringContaining('tea') as string });
    expect(recorder).not.toHaveRecorded({ reason: 'Paid', type: 'Warning' });
    expect(recorder).not.toHaveRecorded({ reason: 'Paid' }, 1);
    expect(() => expect({}).toHaveRecorded({})).toThrow('expect a recorder of testRecorder()');
  });

  it('reports what was recorded instead', () => {
    const recorder = testRecorder();
    recorder.event(paid);
    expect(() => expect(recorder).toHaveRecorded({ reason: 'Declined' })).toThrow(
      'expected: {"reason":"Declined"}\nfound 0 among 1 events:\n  Normal Paid Charge Order/o-1: 3 × tea',
    );
  });
});

describe('changes of health', () => {
  it('are events without the reason, and a flapping check makes two series', () => {
    const recorder = testRecorder();
    const listener = recordHealthChanges(recorder);
    for (let times = 0; times < 5; times++) {
      listener({ check: 'db', status: 'failed', reason: 'postgres://db-7 refused the password' } as never);
      listener({ check: 'db', status: 'ok' });
    }
    listener({ check: 'db', status: 'degraded' });
    listener({ check: 'shutdown', status: 'failed' });
    const lines = recorder.events().map(({ type, reason, note, series }) => [type, reason, note, series?.count]);
    expect(lines).toEqual([
      ['Warning', 'HealthCheckFailing', 'check db is failed', 5],
      ['Normal', 'HealthCheckPassing', 'check db is ok', 5],
      ['Warning', 'HealthCheckDegraded', 'check db is degraded', undefined],
    ]);
    expect(JSON.stringify(recorder.recorded)).not.toContain('password');
    expect(() => recordHealthChanges({} as never)).toThrow('the recorder must be a recorder');
  });
});
