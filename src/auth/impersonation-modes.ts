import type { Caller } from '../model/caller.js';

/** A mode of impersonation: one way in which a caller may be allowed to act as another user. */
export interface ImpersonationMode {
  /** Names the mode in the verbs that the authorizer gets. Absent for the older verb, which applies to all requests. */
  readonly constraint?: string;
  readonly verb: string;
  /** The impersonated user, as attributes for the authorizer. */
  readonly user: { readonly resource: string; readonly namespace?: string; readonly name: string };
  /** Groups that the user gets automatically. */
  readonly groups: readonly string[];
  readonly requestor: Caller;
}

const NODE_NAME = 'authentication.kubernetes.io/node-name';
const ASSOCIATED_KEYS = 'authentication.kubernetes.io/associated-node-keys';

/** The modes in which `wanted` can be impersonated, in order (Kubernetes 1.36, constrained impersonation). */
export function applicableModes(requestor: Caller, wanted: Caller): readonly ImpersonationMode[] {
  const node = nodeName(wanted.name);
  const account = serviceAccount(wanted.name);
  const accountUser = account && { resource: 'serviceaccounts', ...account };
  const accountGroups =
    account && wanted.groups.length === 0
      ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`]
      : [];
  const modes: ImpersonationMode[] = [];
  const constrained = (constraint: string, mode: Omit<ImpersonationMode, 'verb' | 'constraint'>): void => {
    modes.push({ constraint, verb: `impersonate:${constraint}`, ...mode });
  };
  const nameOnly = !wanted.uid && wanted.groups.length === 0 && !wanted.extra;
  if (node !== undefined && nameOnly) {
    const groups = ['system:nodes'];
    if (runsOn(requestor, node)) {
      const user = { resource: 'nodes', name: '*' };
      constrained('associated-node', { user, groups, requestor: withKeysOnly(requestor) });
    }
    constrained('arbitrary-node', { user: { resource: 'nodes', name: node }, groups, requestor });
  }
  if (accountUser && nameOnly) constrained('serviceaccount', { user: accountUser, groups: accountGroups, requestor });
  const plainUser = { resource: 'users', name: wanted.name };
  if (node === undefined && !account) constrained('user-info', { user: plainUser, groups: [], requestor });
  modes.push({ verb: 'impersonate', user: accountUser ?? plainUser, groups: accountGroups, requestor });
  return modes;
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const NODE = new RegExp(`^system:node:(?<name>${SUBDOMAIN})$`);
const SERVICE_ACCOUNT = new RegExp(`^system:serviceaccount:(?<namespace>${LABEL}):(?<name>${SUBDOMAIN})$`);
const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

function nodeName(user: string): string | undefined {
  const name = NODE.exec(user)?.groups?.['name'];
  return name !== undefined && name.length <= MAX_SUBDOMAIN ? name : undefined;
}

function serviceAccount(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const { namespace = '', name = '' } = SERVICE_ACCOUNT.exec(user)?.groups ?? {};
  if (name === '' || namespace.length > MAX_LABEL || name.length > MAX_SUBDOMAIN) return undefined;
  return { namespace, name };
}

/** Whether the requestor is a service account whose credential names this node. */
function runsOn(requestor: Caller, node: string): boolean {
  const names = requestor.extra?.[NODE_NAME] ?? [];
  return serviceAccount(requestor.name) !== undefined && names.length === 1 && names[0] === node;
}

/** The authorizer does not get the node's name: the right applies to any node on which the account runs. */
function withKeysOnly(requestor: Caller): Caller {
  const { name, uid, groups } = requestor;
  const extra = { [ASSOCIATED_KEYS]: Object.keys(requestor.extra ?? {}).sort() };
  return { ...requestor, name, uid, groups, extra };
}
