export { call, type CallOptions, type CallResult } from './testing/call.js';
export { eventStoreSuite } from './testing/event-store-suite.js';
export { fakeClock, type FakeClock, type FakeClockOptions } from './testing/fake-clock.js';
export { sampleEvent, type SampleEventOptions } from './testing/sample-event.js';
export type { EventStoreSuiteOptions, StoreContext } from './testing/fixture.js';
