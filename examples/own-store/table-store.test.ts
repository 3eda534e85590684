import { test } from 'node:test';
import { eventStoreSuite } from 'kube-vitals/testing';
import { createTable, tableStore, type Table } from './table-store.js';

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
