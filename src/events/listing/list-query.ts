import { NEWEST_FIRST, requireResourceVersion, type ListOptions } from '../../api/options/list-options.js';
import { positionBefore, readContinueToken, writeContinueToken } from '../../api/options/continue-token.js';
import { toRevision } from '../../api/options/query.js';
import { allOf, parseFieldSelector } from '../../api/selectors/field-selector.js';
import type { Selector } from '../../api/selectors/contract.js';
import { parseLabelSelector } from '../../api/selectors/label-selector.js';
import { badRequest, expired } from '../../api/status/failures.js';
import { subdomainErrors } from '../../api/validation/names.js';
import { ownText } from '../../cache/own-text.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { EventKey, ListQuery, Position, Revision } from '../../store/contract/event-store.js';
import { isStoreError } from '../../store/contract/errors.js';
import { futureRevision } from '../request/store-failures.js';
import { LooseRead, type VerbCall } from '../request/call.js';

/** Returns the selector of a list or watch: both selectors combined, and the name of a single-object watch. */
export function readSelection(call: VerbCall, options: ListOptions): Selector {
  const { maxSelectorTerms } = call.dependencies;
  // The selectors of watches outlive their requests.
  const labels = parseLabelSelector(ownText(options.labelSelector), maxSelectorTerms);
  const fields = parseFieldSelector(ownText(options.fieldSelector), call.version.selectable, maxSelectorTerms);
  const { name } = call.scope;
  if (name === '') return allOf(labels, fields);
  if (!fields.empty && fields.exact('metadata.name') !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return allOf(labels, fields, parseFieldSelector(`metadata.name=${escaped(name)}`, call.version.selectable));
}

const escaped = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

export interface Start {
  readonly at: Revision | undefined;
  readonly after: Position | undefined;
  /** The oldest acceptable revision; `undefined`: the latest state only. */
  readonly notOlderThan: Revision | undefined;
}

/**
 * Returns where a list begins.
 *
 * @throws StatusFailure 400 for a bad continue token or resourceVersion, for both, and for an order that the store or the
 *   token does not have
 */
export function startOf(call: VerbCall, options: ListOptions): Start {
  const newestFirst = options.order === NEWEST_FIRST;
  if (newestFirst && !call.dependencies.store.capabilities.newestFirst) {
    throw badRequest('order: the store of this server cannot list the newest events first');
  }
  const asked = options.resourceVersion;
  const given = asked !== '' && asked !== '0';
  if (options.continue !== '') {
    const token = readContinueToken(options.continue);
    if (given) throw badRequest('specifying resource version is not allowed when using continue');
    const { below } = token;
    if ((below !== undefined) !== newestFirst) throw badRequest('the continue token is of a list in another order');
    const after = { ...positionOf(call, token.start), revision: below };
    return { at: token.revision < 0 ? undefined : token.revision, after, notOlderThan: undefined };
  }
  if (!given) return { at: undefined, after: undefined, notOlderThan: asked === '' ? undefined : 0 };
  requireResourceVersion(asked);
  const revision = toRevision(asked);
  // kube-apiserver reads what a deletecollection deletes in pages, as with a limit.
  const paged = options.limit > 0 || call.scope.verb === 'deletecollection';
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && paged);
  return { at: exact ? revision : undefined, after: undefined, notOlderThan: exact ? undefined : revision };
}

function positionOf(call: VerbCall, start: string): EventKey {
  const { namespace } = call.scope;
  if (namespace !== '') return { namespace, name: start };
  const slash = start.indexOf('/');
  return slash < 0
    ? { namespace: start, name: '' }
    : { namespace: start.slice(0, slash), name: start.slice(slash + 1) };
}

/**
 * The position of the selector's `metadata.name`: no event lies between it and the event with that name. As in
 * kube-apiserver, such a list of one namespace reads a single key. Undefined for other lists and names in upper case.
 */
export function positionBeforeName({ scope }: VerbCall, { equalities }: Selector): EventKey | undefined {
  const { namespace } = scope;
  const name = equalities.find(({ field }) => field === 'metadata.name')?.value;
  if (namespace === '' || name === undefined || subdomainErrors(name).length > 0) return undefined;
  return { namespace, name: positionBefore(name) };
}

/** Returns the metadata of a list. `last`: the last event of the page, if `remaining` (if known) more follow. */
export function listMeta(
  call: VerbCall,
  options: ListOptions,
  revision: Revision,
  last?: Position,
  remaining?: number,
): ListMeta {
  const resourceVersion = String(revision);
  if (last === undefined) return { resourceVersion };
  const token = tokenAfter(last, revision, call, options);
  return { resourceVersion, continue: token, ...(remaining !== undefined && { remainingItemCount: remaining }) };
}

function tokenAfter(last: Position, revision: Revision, { scope }: VerbCall, { order }: ListOptions): string {
  const start = scope.namespace === '' ? `${last.namespace}/${last.name}` : last.name;
  return writeContinueToken({ revision, start, below: order === NEWEST_FIRST ? last.revision : undefined });
}

/** Returns the failure for the client if a page cannot be read: `error` itself unless it is specific to lists. */
export function pageFailure(error: unknown, call: VerbCall, options: ListOptions, query: ListQuery): unknown {
  if (!isStoreError(error)) return error;
  const { at = 0, after } = query;
  if (error.code === 'future-revision') return futureRevision(at, error.current ?? 0);
  if (error.code !== 'expired' || options.continue === '' || !after) return error;
  return expired(TOKEN_EXPIRED, tokenAfter(after, -1, call, options));
}

const TOKEN_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

export function pageQuery(
  { life, scope }: VerbCall,
  { order }: ListOptions,
  { equalities }: Selector,
  start: Start,
  limit: number,
): ListQuery {
  return Object.assign(new LooseRead(life, start.notOlderThan), {
    namespace: scope.namespace === '' ? undefined : scope.namespace,
    terms: equalities,
    at: start.at,
    after: start.after,
    limit,
    order: order === NEWEST_FIRST ? NEWEST_FIRST : undefined,
  } as const);
}
