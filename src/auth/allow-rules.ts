import type { Caller } from '../model/caller.js';
import { throwFaults, type OptionRule, type OptionRules } from '../options/check-options.js';
import { aListOf, aListOfStrings, anObject, required } from '../options/rules.js';
import { ALLOWED, DENIED, type Attributes, type Authorize } from './contract.js';
import { hookFactory } from './hook-kinds.js';
import { isResourceAttributes } from './refusal.js';
import { createRuleIndex } from './rule-index.js';

/** Allows some callers to do something. `'*'` in a list matches everything. */
export interface AllowRule {
  /** User names. A rule needs `users`, `groups` or both; it applies to callers that match either. */
  readonly users?: readonly string[] | undefined;
  /** Groups, for example `system:authenticated` or `system:unauthenticated`. */
  readonly groups?: readonly string[] | undefined;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for paths lower-case methods.
   */
  readonly verbs: readonly string[];
  /**
   * Namespaces the rule applies to. Default: all, including requests over all namespaces; a list without `'*'` never
   * allows requests over all namespaces.
   */
  readonly namespaces?: readonly string[] | undefined;
  /** Resources, for example `events`, `events/status`. Default: all, unless `paths` is given. */
  readonly resources?: readonly string[] | undefined;
  /** Non-resource paths, for example `/readyz`; a final `*` matches any ending. Default: none. */
  readonly paths?: readonly string[] | undefined;
}

/**
 * Creates an authorizer that allows a request if at least one of the rules does.
 *
 * @throws TypeError listing all faults of all rules
 * @function
 */
export const allowRules: (rules: readonly AllowRule[]) => Authorize = /* @__PURE__ */ hookFactory(
  'authorize',
  'allowRules',
  fromRules,
);

function fromRules(rules: readonly AllowRule[]): Authorize {
  throwFaults('allowRules', required(aListOf(aRule))(rules, 'rules'));
  const anyAllows = createRuleIndex(rules.map(compiled), (rule) => rule, allows);
  return (caller, attributes) => (anyAllows(caller, attributes) ? ALLOWED : DENIED);
}

/** A copy of a rule with every default in place. */
type CompiledRule = Readonly<Record<keyof AllowRule, ReadonlySet<string>>>;

function compiled(rule: AllowRule): CompiledRule {
  const { users, groups, verbs, paths, resources = paths === undefined ? ['*'] : [], namespaces = ['*'] } = rule;
  return {
    users: new Set(users),
    groups: new Set(groups),
    verbs: new Set(verbs),
    namespaces: new Set(resources.length === 0 ? [] : namespaces),
    resources: new Set(resources),
    paths: new Set(paths),
  };
}

const ruleRules = (): OptionRules<AllowRule> => ({
  users: aListOfStrings,
  groups: aListOfStrings,
  verbs: required(aListOfVerbs),
  namespaces: aListOfStrings,
  resources: aListOfStrings,
  paths: aListOfPaths,
});

const aRule: OptionRule = (value, name) =>
  anObject(ruleRules(), ({ users, groups }) => [
    users === undefined && groups === undefined && `${name} needs users, groups or both`,
  ])(value, name);

/** The verbs of Kubernetes for operations on resources, the methods of HTTP, and the verbs of impersonation. */
const VERB =
  /^(\*|get|list|watch|create|update|patch|delete|deletecollection|head|post|put|options|trace|connect|impersonate(-on)?(:.+)?)$/;

/** A rule with any other verb would never allow anything. */
function aListOfVerbs(value: unknown, name: string): readonly string[] {
  const faults = aListOfStrings(value, name);
  if (faults.length > 0 || value === undefined) return faults;
  const verbs = value as readonly string[];
  if (verbs.length === 0) return [`${name} must be a list of one or more verbs`];
  return verbs
    .filter((verb) => !VERB.test(verb))
    .map(
      (verb) =>
        `${name}: there is no verb ${JSON.stringify(verb)}; use get, list, watch, create, update, patch, delete, ` +
        "deletecollection, impersonate, a lower-case method, or '*'",
    );
}

function aListOfPaths(value: unknown, name: string): readonly string[] {
  const faults = aListOfStrings(value, name);
  if (faults.length > 0 || value === undefined) return faults;
  return (value as readonly string[])
    .filter((path) => !/^(\/|\*$)/.test(path))
    .map((path) => `${name}: ${JSON.stringify(path)} does not begin with "/"`);
}

const holds = (set: ReadonlySet<string>, value: string): boolean => set.has('*') || set.has(value);

/** Whether a rule allows a request. The index has already found that the rule applies to the caller. */
function allows(rule: CompiledRule, _caller: Caller, attributes: Attributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false;
  if (!isResourceAttributes(attributes)) {
    for (const pattern of rule.paths) if (matchesPath(pattern, attributes.path)) return true;
    return false;
  }
  const { resource, subresource, namespace } = attributes;
  if (!holds(rule.resources, subresource ? `${resource}/${subresource}` : resource)) return false;
  return holds(rule.namespaces, namespace ?? '');
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
