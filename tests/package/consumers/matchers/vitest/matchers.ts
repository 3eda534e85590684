import { expect } from 'vitest';
import { eventMatchers, testRecorder } from 'kube-vitals/testing';

expect.extend(eventMatchers);
const recorder = testRecorder();
recorder.event({ reason: 'Paid', action: 'Charge', note: '3 × tea' });
expect(recorder).toHaveRecorded({ reason: 'Paid', regarding: { kind: 'Service' }, note: /tea/ });
expect(recorder).toHaveRecorded({ reason: 'Paid' }, 1);
expect(recorder).not.toHaveRecorded({ reason: /Lost/ });
// @ts-expect-error -- events have no such field
expect(recorder).toHaveRecorded({ raeson: 'Paid' });
// @ts-expect-error -- how often is a number
expect(recorder).toHaveRecorded({ reason: 'Paid' }, '1');
