import { expect, it } from 'vitest';
import { anEventStore, aStoreEngine } from '../../../../src/store/contract/store-rule.js';

const FUNCTIONS = ['get', 'list', 'create', 'replace', 'remove', 'expire', 'feed', 'revision', 'ping'];
const engine = (more: object = {}): object => ({
  ...Object.fromEntries(FUNCTIONS.map((name) => [name, () => undefined])),
  name: 'mine',
  capabilities: { durable: true, shared: false, newestFirst: false, remaining: true, maxEventBytes: Infinity },
  ...more,
});

it('what is no store is refused with an example', () => {
  for (const value of [null, {}, { ...engine(), changes: undefined }]) {
    expect(anEventStore(value, 'store')).toEqual(['store must be an EventStore, for example memoryStore()']);
  }
  expect(anEventStore({ ...engine(), changes: () => undefined }, 'store')).toEqual([]);
});

it.each(FUNCTIONS)('an engine without %s is refused', (name) => {
  expect(aStoreEngine(engine({ [name]: undefined }), 'engine')).toEqual(['engine must be a StoreEngine']);
});

it('an engine is refused with every fault of its name and capabilities', () => {
  expect(aStoreEngine(engine(), 'engine')).toEqual([]);
  expect(aStoreEngine(engine({ name: '', capabilities: undefined }), 'engine')).toEqual([
    'engine.name must be a non-empty string',
    'engine.capabilities must be an object',
  ]);
  expect(aStoreEngine(engine({ capabilities: { newestFirst: 'no', maxEventBytes: 0 } }), 'engine')).toEqual([
    'engine.capabilities.durable must be true or false',
    'engine.capabilities.shared must be true or false',
    'engine.capabilities.newestFirst must be true or false',
    'engine.capabilities.remaining must be true or false',
    'engine.capabilities.maxEventBytes must be a number above 0, or Infinity',
  ]);
});
