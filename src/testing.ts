export { call, type CallOptions, type CallResult } from './testing/call.js';
export { eventStoreSuite, type EventStoreSuiteOptions } from './testing/event-store-suite.js';
export { fakeClock, type FakeClock, type FakeClockOptions } from './testing/fake-clock.js';
export { sampleEvent, type SampleEventOptions } from './testing/sample-event.js';
export type { StoreContext } from './testing/fixture.js';
