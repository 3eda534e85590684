import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/memory-store.js';
import { eventStoreSuite } from '../../src/testing/event-store-suite.js';
import { createTable, tableStore, type Table } from './table-store/table-store.js';

describe('memoryStore', () => {
  eventStoreSuite({ test, createStore: ({ clock, historyMs }) => memoryStore({ clock, historyMs }) });
});

describe('the store of docs/implementing-a-store.md', () => {
  const tables = new WeakMap<object, Table>();

  eventStoreSuite({
    test,
    createStore(context) {
      const table = createTable();
      tables.set(context, table);
      return tableStore({ ...context, table });
    },
    reopen(context) {
      const table = tables.get(context) ?? createTable();
      return tableStore({ ...context, table });
    },
  });
});

test('the published suite is not empty', () => {
  const names: string[] = [];
  eventStoreSuite({ test: (name) => names.push(name), createStore: () => memoryStore() });
  expect(names.length).toBeGreaterThan(60);
});
