import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/memory-store.js';
import { eventStoreSuite } from '../../src/testing/event-store-suite.js';

describe('memoryStore', () => {
  eventStoreSuite({ test, createStore: ({ clock, historyMs }) => memoryStore({ clock, historyMs }) });
});

test('the published suite contains tests', () => {
  const names: string[] = [];
  eventStoreSuite({ test: (name) => names.push(name), createStore: () => memoryStore() });
  expect(names.length).toBeGreaterThan(60);
});
