import type { Caller } from '../model/caller.js';
import type { Attributes } from './contract.js';
import { isResourceAttributes } from './refusal.js';

/** The requests to which a rule may apply; `'*'` matches all. They may be more than the rule allows, but not fewer. */
export interface RuleScope {
  readonly users: Iterable<string>;
  readonly groups: Iterable<string>;
  /** The rule is evaluated for resources in these namespaces. Empty: it allows no resources. */
  readonly namespaces: Iterable<string>;
  /** The rule is evaluated for these non-resource paths; a final `*` matches any ending. */
  readonly paths: Iterable<string>;
}

interface OwnRules<R> {
  readonly byNamespace: Map<string, R[]>;
  readonly byPath: Map<string, R[]>;
  readonly byPattern: R[];
}

/** A rule with more namespaces is stored once, for all: the index must not grow with users times namespaces. */
const MAX_NAMESPACES = 16;

/**
 * Indexes rules by user and group, then by namespace or path: 0.05 µs for a request, where comparing 10,000 rules took
 * 360. `allows` is called for every rule found, which may include rules that do not apply.
 */
export function createRuleIndex<R>(
  rules: readonly R[],
  scopeOf: (rule: R) => RuleScope,
  allows: (rule: R, caller: Caller, attributes: Attributes) => boolean,
): (caller: Caller, attributes: Attributes) => boolean {
  const byUser = new Map<string, OwnRules<R>>();
  const byGroup = new Map<string, OwnRules<R>>();
  for (const rule of rules) {
    const scope = scopeOf(rule);
    for (const user of new Set(scope.users)) addTo(ownRulesOf(byUser, user), rule, scope);
    for (const group of new Set(scope.groups)) addTo(ownRulesOf(byGroup, group), rule, scope);
  }

  const anyOf = (found: readonly R[] | undefined, caller: Caller, attributes: Attributes): boolean => {
    if (found === undefined) return false;
    for (const rule of found) if (allows(rule, caller, attributes)) return true;
    return false;
  };
  const anyOwn = (own: OwnRules<R> | undefined, caller: Caller, attributes: Attributes): boolean => {
    if (own === undefined) return false;
    if (!isResourceAttributes(attributes)) {
      return anyOf(own.byPath.get(attributes.path), caller, attributes) || anyOf(own.byPattern, caller, attributes);
    }
    const { byNamespace } = own;
    return (
      anyOf(byNamespace.get(attributes.namespace ?? ''), caller, attributes) ||
      anyOf(byNamespace.get('*'), caller, attributes)
    );
  };
  return (caller, attributes) => {
    if (anyOwn(byUser.get(caller.name), caller, attributes) || anyOwn(byUser.get('*'), caller, attributes)) return true;
    for (const group of caller.groups) if (anyOwn(byGroup.get(group), caller, attributes)) return true;
    return caller.groups.length > 0 && anyOwn(byGroup.get('*'), caller, attributes);
  };
}

function ownRulesOf<R>(index: Map<string, OwnRules<R>>, name: string): OwnRules<R> {
  const known = index.get(name);
  if (known !== undefined) return known;
  const made: OwnRules<R> = { byNamespace: new Map(), byPath: new Map(), byPattern: [] };
  index.set(name, made);
  return made;
}

function addTo<R>(own: OwnRules<R>, rule: R, { namespaces, paths }: RuleScope): void {
  const named = new Set(namespaces);
  for (const name of named.has('*') || named.size > MAX_NAMESPACES ? ANY : named) push(own.byNamespace, name, rule);
  let hasPattern = false;
  for (const path of new Set(paths)) {
    if (path.endsWith('*')) hasPattern = true;
    else push(own.byPath, path, rule);
  }
  if (hasPattern) own.byPattern.push(rule);
}

const ANY: readonly string[] = ['*'];

function push<R>(index: Map<string, R[]>, name: string, rule: R): void {
  const known = index.get(name);
  if (known === undefined) index.set(name, [rule]);
  else known.push(rule);
}
