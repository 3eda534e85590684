import type { ListOptions } from '../api/options/list-options.js';
import { readContinueToken, writeContinueToken } from '../api/options/continue-token.js';
import { toRevision } from '../api/options/resource-version.js';
import type { Selector } from '../api/selectors/contract.js';
import { badRequest, expired } from '../api/status/failures.js';
import type { ApiRequest } from '../http/request.js';
import type { ListMeta } from '../model/object-meta.js';
import type { EventKey, ListPage, ListQuery, Position, Revision } from '../store/contract.js';
import { isStoreError } from '../store/errors.js';
import type { EventRecord } from '../store/record.js';
import { futureRevision } from './store-failures.js';
import type { VerbCall } from './verbs/call.js';

/** A list under way: its metadata is known, its records come in batches, all of one revision. */
export interface OpenList {
  readonly meta: ListMeta;
  readonly revision: Revision;
  readonly batches: AsyncIterable<readonly EventRecord[]> | Iterable<readonly EventRecord[]>;
}

/** How many records are asked of the store at once where the client gave no limit. */
const PAGE = 500;

interface Start {
  readonly at: Revision | undefined;
  readonly after: Position | undefined;
  /** The latest state will do, if it is at least this. */
  readonly notOlderThan: Revision;
}

/**
 * Begins a list: reads the first page, and with a limit everything the answer will hold.
 *
 * @throws StatusError 400 for a bad token, 410 when history no longer reaches back, 504 for a future revision
 */
export async function openList(call: VerbCall, options: ListOptions, selector: Selector): Promise<OpenList> {
  const start = startOf(call, options);
  const reader = pageReader(call, options, selector, start);
  const limit = Math.max(options.limit, 0);
  const firstPage = await reader(start.after, limit || PAGE);
  if (firstPage.revision < start.notOlderThan) throw futureRevision(options.resourceVersion, firstPage.revision);
  if (limit > 0)
    return limited(call, options, selector, firstPage, (after) => reader(after, limit, firstPage.revision));
  return {
    meta: { resourceVersion: String(firstPage.revision) },
    revision: firstPage.revision,
    batches: firstPage.next
      ? remaining(firstPage, selector, (after) => reader(after, PAGE, firstPage.revision))
      : [matching(firstPage, selector)],
  };
}

function startOf(call: VerbCall, options: ListOptions): Start {
  const asked = options.resourceVersion;
  const given = asked !== '' && asked !== '0';
  if (options.continue !== '') {
    if (given) throw badRequest('specifying resource version is not allowed when using continue');
    const token = readContinueToken(options.continue);
    const after = positionOf(call, token.start);
    return { at: token.revision < 0 ? undefined : token.revision, after, notOlderThan: 0 };
  }
  if (!given) return { at: undefined, after: undefined, notOlderThan: 0 };
  const revision = toRevision(asked);
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0);
  return { at: exact ? revision : undefined, after: undefined, notOlderThan: exact ? 0 : revision };
}

function positionOf(call: VerbCall, start: string): EventKey {
  const { namespace } = call.scope;
  if (namespace !== '') return { namespace, name: start };
  const slash = start.indexOf('/');
  return slash < 0
    ? { namespace: start, name: '' }
    : { namespace: start.slice(0, slash), name: start.slice(slash + 1) };
}

function tokenStart(call: VerbCall, key: EventKey): string {
  return call.scope.namespace === '' ? `${key.namespace}/${key.name}` : key.name;
}

type PageReader = (after: Position | undefined, limit: number, at?: Revision) => Promise<ListPage>;

function pageReader(call: VerbCall, options: ListOptions, selector: Selector, start: Start): PageReader {
  const { environment, request, scope } = call;
  return async (after, limit, at = start.at) => {
    try {
      return await environment.store.list(new PageQuery(request, scope.namespace, selector, at, after, limit));
    } catch (error) {
      if (!isStoreError(error)) throw error;
      if (error.code === 'future-revision') throw futureRevision(at ?? 0, error.current ?? 0);
      if (error.code !== 'expired' || options.continue === '' || !after) throw error;
      throw expired(TOKEN_EXPIRED, writeContinueToken({ revision: -1, start: tokenStart(call, after) }));
    }
  };
}

/** A class for the sake of `signal`: the request makes one when it is asked for, and a literal with a getter costs 0.5 µs. */
class PageQuery implements ListQuery {
  readonly namespace: string | undefined;
  readonly terms: Selector['equalities'];
  readonly at: Revision | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
  readonly #request: ApiRequest;

  constructor(
    request: ApiRequest,
    namespace: string,
    { equalities }: Selector,
    at: Revision | undefined,
    after: Position | undefined,
    limit: number,
  ) {
    this.#request = request;
    this.namespace = namespace === '' ? undefined : namespace;
    this.terms = equalities;
    this.at = at;
    this.after = after;
    this.limit = limit;
  }

  get aborted(): boolean | undefined {
    return this.#request.aborted;
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }
}

const TOKEN_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

const matching = (page: ListPage, selector: Selector): readonly EventRecord[] =>
  selector.empty ? page.records : page.records.filter((record) => selector.matches(record.event));

async function* remaining(
  page: ListPage,
  selector: Selector,
  read: (after: Position) => Promise<ListPage>,
): AsyncGenerator<readonly EventRecord[]> {
  let current = page;
  for (;;) {
    yield matching(current, selector);
    if (!current.next) return;
    current = await read(current.next);
  }
}

async function limited(
  call: VerbCall,
  options: ListOptions,
  selector: Selector,
  page: ListPage,
  read: (after: Position) => Promise<ListPage>,
): Promise<OpenList> {
  const { limit } = options;
  const taken: EventRecord[] = [];
  let current = page;
  let last: EventKey | undefined;
  scan: for (;;) {
    for (const record of current.records) {
      if (taken.length === limit) break scan;
      last = record.key;
      if (selector.matches(record.event)) taken.push(record);
    }
    if (!current.next || taken.length === limit) break;
    current = await read(current.next);
  }
  const more = current.next !== undefined || (last !== undefined && current.records.at(-1)?.key !== last);
  const token = more && last ? writeContinueToken({ revision: page.revision, start: tokenStart(call, last) }) : '';
  const counted = token !== '' && selector.empty ? page.remaining : undefined;
  return {
    meta: {
      resourceVersion: String(page.revision),
      ...(token && { continue: token }),
      ...(counted !== undefined && { remainingItemCount: counted }),
    },
    revision: page.revision,
    batches: [taken],
  };
}
