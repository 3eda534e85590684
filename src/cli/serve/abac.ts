import { ALLOWED, AUTHENTICATED, DENIED, MASTERS } from '../../auth/contract.js';
import { createRuleIndex, type RuleScope } from '../../auth/rule-index.js';
import { isObject, type JsonObject } from '../../json/json-tree.js';
import { jsonValue } from '../../json/json-value.js';
import type { Attributes, Authorize, Caller } from '../../index.js';

/** One line of a policy file. An empty field matches only an empty value. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const API_VERSION = 'abac.authorization.kubernetes.io/v1beta1';
const LEGACY_FIELDS = ['user', 'group', 'readonly', 'resource', 'namespace'] as const;
const SPEC_FIELDS = [...LEGACY_FIELDS, 'apiGroup', 'nonResourcePath'] as const;

/** Reads kube-apiserver's ABAC policy file. In lines of the older form, without `kind`, absent fields match all. */
export function parsePolicyFile(text: string, fileName: string): readonly AbacPolicy[] {
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [parsePolicy(trimmed)];
    } catch (error) {
      throw new Error(`policy file ${fileName}, line ${index + 1}: ${(error as Error).message}`);
    }
  });
}

function parsePolicy(line: string): AbacPolicy {
  const value = jsonValue(line);
  if (value === undefined) throw new Error('is not a JSON object');
  const object = asFields(value, 'the line');
  if (!('apiVersion' in object) && !('kind' in object)) return legacyPolicy(object);
  if (object['apiVersion'] !== API_VERSION || object['kind'] !== 'Policy') {
    throw new Error(`must be of apiVersion ${API_VERSION}, kind Policy`);
  }
  knownFields(object, ['apiVersion', 'kind', 'spec']);
  const spec = asFields(object['spec'], 'spec');
  knownFields(spec, SPEC_FIELDS);
  const policy = readFields(spec);
  return anyAuthenticated(policy) ? { ...policy, user: '', group: AUTHENTICATED } : policy;
}

function legacyPolicy(object: JsonObject): AbacPolicy {
  knownFields(object, LEGACY_FIELDS);
  const policy = readFields(object);
  const { user, group, resource, namespace } = policy;
  const everybody = anyAuthenticated(policy) || (user === '' && group === '');
  return {
    ...policy,
    ...(everybody && { user: '', group: AUTHENTICATED }),
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: resource === '' && namespace === '' ? '*' : '',
  };
}

/** `*` does not match anonymous callers. */
function anyAuthenticated({ user, group }: Pick<AbacPolicy, 'user' | 'group'>): boolean {
  return user === '*' || group === '*';
}

export function abac(policies: readonly AbacPolicy[]): Authorize {
  const anyAllows = createRuleIndex(
    policies,
    scopeOf,
    (policy, caller, attributes) => matchesCaller(policy, caller) && matchesRequest(policy, attributes),
  );
  return (caller, attributes) => (caller.groups.includes(MASTERS) || anyAllows(caller, attributes) ? ALLOWED : DENIED);
}

/** A policy with a user applies to that user, whatever group it also requires. */
const scopeOf = ({ user, group, namespace, nonResourcePath }: AbacPolicy): RuleScope => ({
  users: user === '' ? [] : [user],
  groups: user === '' && group !== '' ? [group] : [],
  namespaces: [namespace],
  paths: nonResourcePath === '' ? [] : [nonResourcePath],
});

function matchesCaller({ user, group }: AbacPolicy, caller: Caller): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === caller.name) && (group === '' || caller.groups.includes(group));
}

function matchesRequest(policy: AbacPolicy, attributes: Attributes): boolean {
  const { verb } = attributes;
  // Only these three count as reading; HEAD on a path does not, in kube-apiserver either.
  if (policy.readonly && verb !== 'get' && verb !== 'list' && verb !== 'watch') return false;
  if (!('resource' in attributes)) return matchesPolicyPath(policy.nonResourcePath, attributes.path);
  return (
    matches(policy.namespace, attributes.namespace ?? '') &&
    matches(policy.resource, attributes.resource) &&
    matches(policy.apiGroup, attributes.group)
  );
}

const matches = (pattern: string, value: string): boolean => pattern === '*' || pattern === value;

function matchesPolicyPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.replace(/\*+$/, '')) : pattern === path;
}

function asFields(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw new Error(`${what} must be an object`);
  return value;
}

function knownFields(object: JsonObject, names: readonly string[]): void {
  const unknown = Object.keys(object).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`unknown field ${JSON.stringify(unknown)}`);
}

function readFields(object: JsonObject): AbacPolicy {
  const fields = SPEC_FIELDS.map((name) => {
    const [absent, words] = name === 'readonly' ? [false, 'true or false'] : ['', 'a string'];
    const value = object[name] ?? absent;
    if (typeof value !== typeof absent) throw new Error(`${name} must be ${words}`);
    return [name, value];
  });
  return Object.fromEntries(fields) as AbacPolicy;
}
