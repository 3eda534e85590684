// Jest with @jest/globals, and the declaration that docs/recording-events.md has for it.
import { expect } from '@jest/globals';
import { eventMatchers, testRecorder, type EventMatchers } from 'kube-vitals/testing';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends EventMatchers<R> {}
}

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
