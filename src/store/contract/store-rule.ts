import type { OptionRule } from '../../options/check-options.js';
import { anObjectWith } from '../../options/rules.js';

/** The rule of an option or argument that is a store. */
export const anEventStore: OptionRule = /* @__PURE__ */ anObjectWith(
  ['get', 'list', 'create', 'replace', 'remove', 'expire', 'changes'],
  'an EventStore, for example memoryStore()',
);

/** The rule of an engine that a store is created from. */
export const aStoreEngine: OptionRule = /* @__PURE__ */ anObjectWith(
  ['get', 'list', 'create', 'replace', 'remove', 'expire', 'feed', 'revision', 'ping'],
  'a StoreEngine',
);
