import { requestTimeoutMs } from '../api/options/timeout.js';
import type { Query } from '../api/options/query.js';
import type { Representation } from '../api/representation/contract.js';
import { COLLECTION_MEDIA_TYPES, OBJECT_MEDIA_TYPES } from '../api/representation/media-types.js';
import { errorRepresentation, negotiate, negotiationInputs, routerAccepts } from '../api/representation/negotiate.js';
import { badRequest, internalError, tooLarge, unauthorized } from '../api/status/failures.js';
import { isStatusError, type StatusError } from '../api/status/status-error.js';
import { warningHeader } from '../api/status/warnings.js';
import { bearerWarning } from '../auth/bearer-token.js';
import { auditIdOf } from '../http/audit-id.js';
import { isBodyError } from '../http/body-error.js';
import { header } from '../http/headers.js';
import { isPromise } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';
import { isStream } from '../http/response-shape.js';
import { onStreamEnd } from '../http/stream-end.js';
import { decodePath, parseQuery, splitUrl } from '../http/url.js';
import { tooManyRequestsText } from '../limits/too-many-requests.js';
import type { Caller } from '../model/caller.js';
import { createNotifier } from '../observe/notifier.js';
import type { Observe } from '../observe/observation.js';
import { isStoreError } from '../store/errors.js';
import { authorize, impersonatedCaller } from './access.js';
import { withinDeadline } from './deadline.js';
import type { Documents } from './documents.js';
import { ownsPath, requireName, routeOf, scopeOf } from './routing.js';
import type { Scope, Verb } from './scope.js';
import { storeFailure } from './store-failures.js';
import type { EventsEnvironment, Result, VerbCall } from './verbs/call.js';
import { create } from './verbs/create.js';
import { remove } from './verbs/delete.js';
import { deleteCollection } from './verbs/delete-collection.js';
import { get } from './verbs/get.js';
import { list } from './verbs/list.js';
import { patch, requirePatchType } from './verbs/patch.js';
import { update } from './verbs/update.js';
import { watch } from './verbs/watch.js';
import type { EventVersion } from './versions/version.js';

const VERBS: Readonly<Record<Verb, (call: VerbCall) => Result | Promise<Result>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};

/** What the way of a request is made of. */
export interface PipelineParts {
  readonly environment: EventsEnvironment;
  readonly versions: readonly EventVersion[];
  readonly documents: Documents;
  readonly observe: Observe | undefined;
}

/** Answers what is ours; `preset` is a caller who needs no authentication. */
export type Pipeline = (request: ApiRequest, preset: Caller | undefined) => Promise<ApiResponse> | undefined;

/** A request on its way: what every step needs, and what the answer will carry. */
interface Passage {
  readonly request: ApiRequest;
  readonly path: string;
  readonly query: Query;
  readonly warnings: string[];
  scope?: Scope | undefined;
  caller?: Caller;
  /** Who really asks, where the caller is another. */
  impersonator?: Caller;
}

/** The way of a request through the Event API, step by step; `docs/architecture.md` has the picture. */
export function createPipeline({ environment, versions, documents, observe }: PipelineParts): Pipeline {
  const { access, clock, limits } = environment;
  const notify = createNotifier(observe);

  async function answer(passage: Passage, preset: Caller | undefined): Promise<ApiResponse> {
    const started = observe && clock.monotonic();
    const auditId = auditIdOf(passage.request);
    let response: ApiResponse;
    try {
      const { request, path, query } = passage;
      const scope = scopeOf(request.method, path, query, versions);
      passage.scope = scope;
      const limitMs = scope?.verb === 'watch' ? undefined : requestTimeoutMs(query);
      const work = admitted(passage, scope, preset);
      response = await (limitMs === undefined ? work : withinDeadline(work, limitMs, clock));
    } catch (error) {
      response = await refusal(passage, error);
    }
    if (started !== undefined) tell(passage, auditId, response.status, started);
    const { status, headers: own, body, release } = response;
    const headers: Record<string, string | readonly string[]> = {
      'audit-id': auditId,
      'cache-control': 'no-cache, private',
      ...own,
    };
    const warnings = warningHeader(passage.warnings);
    if (warnings.length > 0) headers['warning'] = warnings;
    return release === undefined ? { status, headers, body } : { status, headers, body, release };
  }

  function tell(passage: Passage, auditId: string, status: number, started: number): void {
    const { request, scope, caller, impersonator } = passage;
    notify({
      type: 'request',
      verb: scope?.verb || request.method.toLowerCase(),
      status,
      durationMs: clock.monotonic() - started,
      auditId,
      ...(caller && { caller: caller.name }),
      ...(impersonator && { impersonator: impersonator.name }),
      url: request.url,
    });
  }

  /** Who is it, or wants to be, is there room, may they; then the document or the verb. */
  async function admitted(
    passage: Passage,
    scope: Scope | undefined,
    preset: Caller | undefined,
  ): Promise<ApiResponse> {
    const { request, path, query } = passage;
    const said = preset ?? access.authenticate(request);
    const authenticated = isPromise(said) ? await said : said;
    if (!authenticated) throw unauthorized();
    passage.caller = authenticated;
    const extraSpace = preset ? undefined : bearerWarning(request);
    if (extraSpace) passage.warnings.push(extraSpace);

    const attributes = scope?.attributes ?? { verb: request.method.toLowerCase(), path };
    const asked = access.impersonate(request, authenticated, attributes);
    const caller = impersonatedCaller(isPromise(asked) ? await asked : asked);
    if (caller !== authenticated) [passage.caller, passage.impersonator] = [caller, authenticated];

    const reads = request.method === 'GET' || request.method === 'HEAD';
    const release =
      scope?.verb === 'watch' ? limits.enterWatch(caller) : limits.enterRequest(reads ? 'read' : 'write', caller);
    if (!release) return tooManyRequestsText();
    let held = false; // a stream holds its place until it ends
    try {
      const allowed = authorize(access, caller, attributes);
      if (isPromise(allowed)) await allowed;
      if (!scope) return await documents.answer(request, path, query);
      const { representation, answered } = routed(passage, scope, caller);
      const result = isPromise(answered) ? await answered : answered;
      const written = rendered(representation, result, release);
      const response = isPromise(written) ? await written : written;
      held = isStream(response.body);
      if (!isStream(response.body) || result.kind === 'watch') return response;
      return { ...response, body: onStreamEnd(response.body, release) };
    } finally {
      if (!held) release();
    }
  }

  function routed(
    passage: Passage,
    scope: Scope,
    caller: Caller,
  ): { readonly representation: Representation; readonly answered: Result | Promise<Result> } {
    const { request, query, warnings } = passage;
    const { version, verb } = routeOf(scope, request.method, versions);
    if (verb === 'patch') requirePatchType(request);
    const shape = verb === 'watch' ? 'watch' : verb === 'list' ? 'list' : 'object';
    const notAccepted = routerAccepts(
      header(request, 'accept'),
      shape === 'object' ? OBJECT_MEDIA_TYPES : COLLECTION_MEDIA_TYPES,
    );
    if (notAccepted) throw notAccepted;
    requireName(scope.name);
    const representation = negotiate(negotiationInputs(request.headers, query), version.view, shape, clock.now);
    const answered = VERBS[verb]({ environment, request, version, scope, query, caller, warnings });
    return { representation, answered };
  }

  async function refusal(passage: Passage, error: unknown): Promise<ApiResponse> {
    const failure = statusErrorOf(error, passage.scope) ?? unexpected(error);
    const response = await errorRepresentation(negotiationInputs(passage.request.headers, passage.query)).status(
      failure.status,
      failure.status.code ?? 500,
    );
    return { ...response, headers: { ...response.headers, ...failure.headers } };
  }

  function unexpected(error: unknown): StatusError {
    notify({ type: 'error', error, where: 'events' });
    return internalError();
  }

  return (request, preset) => {
    const { path: raw, query } = splitUrl(request.url);
    const path = decodePath(raw) ?? raw;
    const ours = versions.some((version) => ownsPath(version, path)) || documents.claims(path);
    return ours ? answer({ request, path, query: parseQuery(query), warnings: [] }, preset) : undefined;
  };
}

function rendered(
  representation: Representation,
  result: Result,
  release: () => void,
): ApiResponse | Promise<ApiResponse> {
  switch (result.kind) {
    case 'object':
      return representation.object(result.json, result.status);
    case 'list':
      return representation.list(result.meta, result.batches, result.memory);
    case 'status':
      return representation.status(result.status, 200);
    case 'watch':
      return streamed(representation, result, release);
  }
}

async function streamed(
  representation: Representation,
  result: Extract<Result, { readonly kind: 'watch' }>,
  release: () => void,
): Promise<ApiResponse> {
  return {
    status: 200,
    headers: { 'content-type': representation.streamType },
    body: result.frames(await representation.frames(), release),
  };
}

function statusErrorOf(error: unknown, scope: Scope | undefined): StatusError | undefined {
  if (isStatusError(error)) return error;
  if (isStoreError(error)) {
    return storeFailure(error, { group: scope?.group ?? '', resource: 'events' }, scope?.name ?? '');
  }
  if (!isBodyError(error)) return undefined;
  return error.code === 'too-large'
    ? tooLarge(`limit is ${error.limit ?? 0}`)
    : badRequest('the request body ended before it was complete');
}
