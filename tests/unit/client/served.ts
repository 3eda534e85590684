import { onTestFinished } from 'vitest';
import { allowAnonymous, allowEverybody, createEvents, memoryStore } from '../../../src/index.js';
import type { Events, EventsOptions } from '../../../src/index.js';

/** The Event API over a memory store of its own, open to everybody and closed with the test. */
export function served(options: Partial<EventsOptions> = {}): Events {
  const store = memoryStore();
  const events = createEvents({
    apiDomain: 'example.com',
    store,
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
    ...options,
  });
  onTestFinished(async () => {
    await events.close();
    await store.close();
  });
  return events;
}
