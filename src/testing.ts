export { call, type CallOptions, type CallResult } from './testing/call.js';
export { eventStoreSuite } from './testing/event-store-suite.js';
export { fakeClock, type FakeClock, type FakeClockOptions } from './testing/fake-clock.js';
export { sampleEvent, type SampleEventOptions } from './testing/sample-event.js';
export type { EventStoreSuiteOptions, StoreContext } from './testing/fixture.js';
export {
  eventMatchers,
  type EventMatchers,
  type ExpectedEvent,
  type ExpectedValue,
  type MatcherResult,
} from './testing/event-matchers.js';
export { testRecorder, type TestRecorder, type TestRecorderOptions } from './testing/test-recorder.js';
