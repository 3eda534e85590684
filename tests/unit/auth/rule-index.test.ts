import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../../src/auth/contract.js';
import { createRuleIndex, type RuleScope } from '../../../src/auth/rule-index.js';
import type { Caller } from '../../../src/model/caller.js';

const NAMES = ['', '*', 'a', 'b', 'c'] as const;
const PATHS = ['*', '/a', '/a*', '/a/b', '/b'] as const;
const lists = (from: readonly string[]) => fc.array(fc.constantFrom(...from), { maxLength: 4 });

type Scope = Record<keyof RuleScope, readonly string[]>;

const scopes: fc.Arbitrary<Scope> = fc.record({
  users: lists(NAMES),
  groups: lists(NAMES),
  namespaces: fc.oneof(
    lists(NAMES),
    fc.constant([...NAMES.slice(2), ...Array.from({ length: 20 }, (_, n) => `n${n}`)]),
  ),
  paths: lists(PATHS),
});
const callers: fc.Arbitrary<Caller> = fc.record({ name: fc.constantFrom(...NAMES.slice(1)), groups: lists(NAMES) });
const requests: fc.Arbitrary<Attributes> = fc.oneof(
  fc.constantFrom(undefined, ...NAMES.slice(2), 'n19').map((namespace) => resource(namespace)),
  fc.constantFrom('/a', '/a/b', '/b', '/c').map((path) => ({ verb: 'get', path })),
);

function resource(namespace?: string): Attributes {
  return { verb: 'get', group: 'g', version: 'v1', resource: 'events', ...(namespace !== undefined && { namespace }) };
}

const holds = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);

/** The meaning of a scope, written down without an index. */
function covers({ users, groups, namespaces, paths }: Scope, caller: Caller, attributes: Attributes): boolean {
  if (!holds(users, caller.name) && !caller.groups.some((group) => holds(groups, group))) return false;
  if ('resource' in attributes) return holds(namespaces, attributes.namespace ?? '');
  return paths.some((path) => {
    return path.endsWith('*') ? attributes.path.startsWith(path.slice(0, -1)) : path === attributes.path;
  });
}

describe('createRuleIndex', () => {
  it('gives the same decision as evaluating every rule', () => {
    fc.assert(
      fc.property(fc.array(scopes, { maxLength: 8 }), callers, requests, (rules, caller, attributes) => {
        const anyAllows = createRuleIndex(rules, (rule) => rule, covers);
        expect(anyAllows(caller, attributes)).toBe(rules.some((rule) => covers(rule, caller, attributes)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not evaluate rules of other callers, other namespaces or other paths', () => {
    const rules = Array.from({ length: 10_000 }, (_, index): RuleScope => {
      const [user, place] = [index % 100, Math.floor(index / 100)];
      return { users: [`u${user}`], groups: [`g${user}`], namespaces: [`n${place}`], paths: [`/p${place}`] };
    });
    let asked = 0;
    const anyAllows = createRuleIndex(
      rules,
      (rule) => rule,
      () => ((asked += 1), false),
    );
    const caller: Caller = { name: 'u7', groups: ['g8', 'system:authenticated'] };
    expect(anyAllows(caller, resource('n3'))).toBe(false);
    expect(asked).toBe(2);
    expect(anyAllows(caller, { verb: 'get', path: '/p3' })).toBe(false);
    expect(asked).toBe(4);
    expect(anyAllows({ name: 'nobody', groups: ['system:unauthenticated'] }, resource('n3'))).toBe(false);
    expect(asked).toBe(4);
  });

  it('keeps a rule with very many namespaces once for each user', () => {
    const namespaces = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    let asked = 0;
    const scope: RuleScope = { users: ['jane'], groups: [], namespaces, paths: [] };
    const anyAllows = createRuleIndex(
      [scope, scope],
      (rule) => rule,
      () => ((asked += 1), false),
    );
    anyAllows({ name: 'jane', groups: [] }, resource('elsewhere'));
    expect(asked).toBe(2);
  });
});
