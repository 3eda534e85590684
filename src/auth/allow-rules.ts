import type { Caller } from '../model/caller.js';
import type { Attributes, Authorize, Decision } from './contract.js';
import { authorizer, hookFactory } from './hook-kinds.js';
import { stringListFaults, throwFaults } from './option-faults.js';
import { isResourceAttributes } from './resource-refusal.js';

/** What some callers may do. `'*'` in a list stands for everything. */
export interface AllowRule {
  /** User names. A rule needs `users`, `groups` or both; a caller named by either is meant. */
  readonly users?: readonly string[] | undefined;
  /** Groups, for example `system:authenticated` or `system:unauthenticated`. */
  readonly groups?: readonly string[] | undefined;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for paths lower-case methods. */
  readonly verbs: readonly string[];
  /**
   * Namespaces the rule holds in. Default: all, and requests over all namespaces too; a list without `'*'` never allows
   * those.
   */
  readonly namespaces?: readonly string[] | undefined;
  /** Resources, for example `events`, `events/status`. Default: all, unless `paths` is given. */
  readonly resources?: readonly string[] | undefined;
  /** Paths that are no resources, for example `/readyz`; a final `*` stands for any ending. Default: none. */
  readonly paths?: readonly string[] | undefined;
}

const ALLOWED: Decision = Object.freeze({ allowed: true });
const DENIED: Decision = Object.freeze({ allowed: false });
const FIELDS = ['users', 'groups', 'verbs', 'namespaces', 'resources', 'paths'] as const;

/**
 * Allows what at least one of the rules allows, and nothing else.
 *
 * @throws TypeError listing all faults of all rules
 */
export const allowRules: (rules: readonly AllowRule[]) => Authorize = /* @__PURE__ */ hookFactory(
  'authorize',
  'allowRules',
  fromRules,
);

function fromRules(rules: readonly AllowRule[]): Authorize {
  if (!Array.isArray(rules)) throw new TypeError('allowRules: expected a list of rules');
  throwFaults(
    'allowRules',
    rules.flatMap((rule, index) => faultsOf(rule).map((fault) => `rule ${index + 1}: ${fault}`)),
  );
  const own = (rules as readonly AllowRule[]).map((rule) => structuredClone(rule));
  return authorizer('allowRules', (caller, attributes) =>
    own.some((rule) => meansCaller(rule, caller) && meansRequest(rule, attributes)) ? ALLOWED : DENIED,
  );
}

function faultsOf(rule: unknown): readonly string[] {
  if (typeof rule !== 'object' || rule === null) return ['must be an object'];
  const given = rule as Readonly<Record<string, unknown>>;
  const faults = FIELDS.flatMap((field) => (given[field] === undefined ? [] : stringListFaults(field, given[field])));
  if (given['verbs'] === undefined) faults.push('verbs is required');
  if (given['users'] === undefined && given['groups'] === undefined) faults.push('users or groups is required');
  for (const key of Object.keys(given)) {
    if (!(FIELDS as readonly string[]).includes(key)) faults.push(`unknown field ${JSON.stringify(key)}`);
  }
  return faults;
}

const holds = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);

function meansCaller(rule: AllowRule, caller: Caller): boolean {
  return holds(rule.users ?? [], caller.name) || caller.groups.some((group) => holds(rule.groups ?? [], group));
}

function meansRequest(rule: AllowRule, attributes: Attributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false;
  if (!isResourceAttributes(attributes))
    return (rule.paths ?? []).some((pattern) => matchesPath(pattern, attributes.path));
  const resources = rule.resources ?? (rule.paths === undefined ? ['*'] : []);
  const { resource, subresource, namespace } = attributes;
  if (!holds(resources, subresource ? `${resource}/${subresource}` : resource)) return false;
  return holds(rule.namespaces ?? ['*'], namespace ?? '');
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
