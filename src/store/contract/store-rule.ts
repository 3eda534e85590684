import type { OptionRule, OptionRules } from '../../options/check-options.js';
import {
  aBoolean,
  aNonEmptyString,
  anObject,
  anObjectWith,
  aPositiveNumber,
  orInfinity,
  required,
} from '../../options/rules.js';
import type { StoreCapabilities } from './event-store.js';

export const anEventStore: OptionRule = /* @__PURE__ */ anObjectWith(
  ['get', 'list', 'create', 'replace', 'remove', 'expire', 'changes'],
  'an EventStore, for example memoryStore()',
);

const aFunctionalEngine: OptionRule = /* @__PURE__ */ anObjectWith(
  ['get', 'list', 'create', 'replace', 'remove', 'expire', 'feed', 'revision', 'ping'],
  'a StoreEngine',
);

const capabilities = (): OptionRules<StoreCapabilities> => ({
  durable: required(aBoolean),
  shared: required(aBoolean),
  newestFirst: required(aBoolean),
  remaining: required(aBoolean),
  maxEventBytes: required(orInfinity(aPositiveNumber)),
});

export const aStoreEngine: OptionRule = (value, path) => {
  const faults = aFunctionalEngine(value, path);
  if (faults.length > 0) return faults;
  const engine = value as { readonly name?: unknown; readonly capabilities?: unknown };
  return [
    ...required(aNonEmptyString)(engine.name, `${path}.name`),
    ...required(anObject(capabilities()))(engine.capabilities, `${path}.capabilities`),
  ];
};
