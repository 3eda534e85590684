import { requestTimeoutMs } from '../../api/options/timeout.js';
import type { Query } from '../../api/options/query.js';
import type { Representation } from '../../api/representation/contract.js';
import { errorRepresentation, negotiationInputs } from '../../api/representation/negotiate.js';
import { internalError, unauthorized } from '../../api/status/failures.js';
import type { StatusError } from '../../api/status/status-error.js';
import { warningHeader } from '../../api/status/warnings.js';
import { bearerWarning } from '../../auth/bearer-token.js';
import type { Attributes } from '../../auth/contract.js';
import { chain, isPromise } from '../../http/promise.js';
import type { ApiRequest } from '../../http/request.js';
import { isTargetTooLarge, readablePart, TARGET_TOO_LARGE } from '../../http/target-limit.js';
import { decodePath, parseQuery, splitUrl } from '../../http/url.js';
import type { Place } from '../../limits/in-flight.js';
import { tooManyRequestsText } from '../../limits/too-many-requests.js';
import type { Caller } from '../../model/caller.js';
import { createNotifier } from '../../observe/notifier.js';
import type { Observe } from '../../observe/observation.js';
import { authorize, impersonatedCaller } from '../request/access.js';
import { auditIdOf } from '../../http/headers.js';
import { type ApiResponse, isStream } from '../../http/response.js';
import { createAnswerForms } from './answer-forms.js';
import type { Documents } from '../documents/documents.js';
import { countedBytes, gathered, headersOf, isLarge, OneChunk } from '../request/large-answers.js';
import { rendered } from './render.js';
import { statusErrorOf } from './refuse.js';
import { RequestLife, TOO_LATE, UnfinishedRequests } from '../request/request-life.js';
import { ownsPath, routeOf, scopeOf } from '../routing.js';
import type { Scope, Verb } from '../scope.js';
import type { EventsEnvironment, Result, VerbCall } from '../request/call.js';
import { create } from '../writing/create-event.js';
import { remove } from '../writing/delete-event.js';
import { deleteCollection } from '../writing/delete-events.js';
import { get } from '../reading/get-event.js';
import { list } from '../reading/list-events.js';
import { patch, requirePatchType } from '../writing/patch-event.js';
import { update } from '../writing/update-event.js';
import { watch } from '../reading/watch-events.js';
import type { EventVersion } from '../versions/version.js';

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

const READING: ReadonlySet<Verb> = new Set<Verb>(['get', 'list', 'watch']);
const NO_QUERY: Query = new Map();

/** What the way of a request is made of. */
export interface PipelineParts {
  readonly environment: EventsEnvironment;
  readonly versions: readonly EventVersion[];
  readonly documents: Documents;
  readonly observe: Observe | undefined;
}

/** Answers what is ours; `preset` is a caller who needs no authentication. */
export type Pipeline = (
  request: ApiRequest,
  preset: Caller | undefined,
) => ApiResponse | Promise<ApiResponse> | undefined;

/** A request on its way: what every step needs, and what the answer will carry. */
interface Passage {
  readonly request: ApiRequest;
  readonly life: RequestLife;
  readonly path: string;
  readonly query: Query;
  readonly warnings: string[];
  readonly auditId: string;
  /** Monotonic milliseconds, where somebody wants to know how long it took. */
  readonly started: number | undefined;
  scope: Scope | undefined;
  caller: Caller | undefined;
  /** Who really asks, where the caller is another. */
  impersonator: Caller | undefined;
}

/** The way of a request through the Event API, step by step; `docs/architecture.md` has the picture. */
export function createPipeline({ environment, versions, documents, observe }: PipelineParts): Pipeline {
  const { access, clock, limits } = environment;
  const notify = createNotifier(observe);
  const unfinished = new UnfinishedRequests(clock);
  const formOf = createAnswerForms(clock.now);

  /**
   * At once, as long as nothing on the way has to wait: a promise between the request and its answer makes a get 3 µs of 20
   * slower, because Node then sends it in another turn, and needs a deadline besides.
   */
  function answer(passage: Passage, preset: Caller | undefined): ApiResponse | Promise<ApiResponse> {
    let work: ApiResponse | Promise<ApiResponse>;
    try {
      const { request, path, query, life } = passage;
      passage.scope = scopeOf(request.method, path, query, versions, environment.maxSelectorTerms);
      if (passage.scope?.verb !== 'watch') life.limit(requestTimeoutMs(query, environment.requestTimeoutMs));
      work = admitted(passage, preset);
      if (isPromise(work)) work = life.answerOf(work);
    } catch (error) {
      return refused(passage, error);
    }
    return isPromise(work) ? awaited(passage, work) : finished(passage, work);
  }

  async function awaited(passage: Passage, work: PromiseLike<ApiResponse>): Promise<ApiResponse> {
    let response: ApiResponse;
    try {
      response = await work;
    } catch (error) {
      return refused(passage, error);
    }
    return finished(passage, response);
  }

  async function refused(passage: Passage, error: unknown): Promise<ApiResponse> {
    // Whoever is not let in waits for the turn of its address: its requests cost others as much as an answer does.
    if (passage.caller === undefined) await limits.turn(undefined, passage.life);
    return finished(passage, await refusal(passage, error));
  }

  function finished(passage: Passage, response: ApiResponse): ApiResponse {
    const { status, headers: own, body, release } = response;
    // A stream with a deadline lives on. To read its signal would make one.
    const livesOn = 'signal' in response;
    if (!livesOn) passage.life.finish();
    if (passage.started !== undefined) tell(passage, status, passage.started);
    const headers: Record<string, string | readonly string[]> = {
      'audit-id': passage.auditId,
      'cache-control': 'no-cache, private',
      ...own,
    };
    const warnings = warningHeader(passage.warnings);
    if (warnings.length > 0) headers['warning'] = warnings;
    if (livesOn) return passage.life.withSignal(status, headers, body);
    return release === undefined ? { status, headers, body } : { status, headers, body, release };
  }

  function tell(passage: Passage, status: number, started: number): void {
    const { request, scope, caller, impersonator, auditId } = passage;
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

  /** Who is it, or wants to be; then what they are let in for. */
  function admitted(passage: Passage, preset: Caller | undefined): ApiResponse | Promise<ApiResponse> {
    const { request, path, scope } = passage;
    return chain(preset ?? access.authenticate(request), (authenticated) => {
      if (!authenticated) throw unauthorized();
      passage.caller = authenticated;
      const extraSpace = preset ? undefined : bearerWarning(request);
      if (extraSpace) passage.warnings.push(extraSpace);

      const attributes = scope?.attributes ?? { verb: request.method.toLowerCase(), path };
      return chain(access.impersonate(request, authenticated, attributes), (asked) => {
        const caller = impersonatedCaller(asked);
        if (caller !== authenticated) [passage.caller, passage.impersonator] = [caller, authenticated];
        return inPlace(passage, caller, attributes);
      });
    });
  }

  /** Is there room, and is it the caller's turn? */
  function inPlace(passage: Passage, caller: Caller, attributes: Attributes): ApiResponse | Promise<ApiResponse> {
    const { request, scope, life } = passage;
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const kind = scope?.verb === 'watch' ? 'watch' : reads ? 'read' : 'write';
    const place = limits.enter(kind, caller, life);
    if (isPromise(place)) return place.then((later) => inside(passage, caller, attributes, later));
    return inside(passage, caller, attributes, place);
  }

  /** The place is given back when the answer is there, or the request has ended; a stream holds it until it ends. */
  function inside(
    passage: Passage,
    caller: Caller,
    attributes: Attributes,
    place: Place | undefined,
  ): ApiResponse | Promise<ApiResponse> {
    if (!place) return tooManyRequestsText();
    const { scope, life } = passage;
    life.hold(place);
    const failed = (error: unknown): never => {
      life.giveBack();
      throw error;
    };
    const answered = (response: ApiResponse): ApiResponse => {
      if (scope !== undefined && isStream(response.body)) {
        if (scope.verb === 'watch') return response;
        place.streams();
        return life.stream(response, response.body, () => limits.turn(caller, life));
      }
      if (isLarge(response)) {
        const { status } = response;
        place.streams();
        return life.stream({ status, headers: headersOf(response), body: null }, new OneChunk(response));
      }
      life.giveBack();
      return response;
    };
    let work: ApiResponse | Promise<ApiResponse>;
    try {
      work = allowed(passage, caller, attributes, place);
    } catch (error) {
      return failed(error);
    }
    return isPromise(work) ? work.then(answered, failed) : answered(work);
  }

  /** May they? Then the document or the verb. */
  function allowed(
    passage: Passage,
    caller: Caller,
    attributes: Attributes,
    place: Place,
  ): ApiResponse | Promise<ApiResponse> {
    const { request, path, query, scope } = passage;
    return chain(authorize(access, caller, attributes), () => {
      if (!scope) return documents.answer(request, path, query);
      const { representation, answered } = routed(passage, scope, caller);
      return chain(answered, (result) => {
        const bytes = countedBytes(result, representation.gathersItems);
        if (bytes === 0) return rendered(representation, result, place);
        return counted(passage, caller, representation, result, place, bytes);
      });
    });
  }

  /** Is there room for the bytes of a large answer? They count until the client has taken them. */
  async function counted(
    { life, scope }: Passage,
    caller: Caller,
    representation: Representation,
    result: Result,
    place: Place,
    bytes: number,
  ): Promise<ApiResponse> {
    // The work at the store is done, and who waits here is in nobody's way.
    place.streams();
    const held = await limits.hold(bytes, caller, life);
    // A write has happened all the same.
    if (held === undefined) return READING.has(scope?.verb as Verb) ? tooManyRequestsText() : TOO_LATE;
    life.holdBytes(held);
    const response = await rendered(
      representation,
      representation.gathersItems ? gathered(result, held) : result,
      place,
    );
    if (isLarge(response)) held.become(response.body.byteLength);
    return response;
  }

  function routed(
    passage: Passage,
    scope: Scope,
    caller: Caller,
  ): { readonly representation: Representation; readonly answered: Result | Promise<Result> } {
    const { request, life, query, warnings } = passage;
    const { version, verb } = routeOf(scope, request.method, versions);
    if (verb === 'patch') requirePatchType(request);
    const shape = verb === 'watch' ? 'watch' : verb === 'list' ? 'list' : 'object';
    const representation = formOf(request, query, version.view, shape, scope.name);
    const { joinsItems } = representation;
    const call: VerbCall = { environment, request, life, version, scope, query, caller, joinsItems, warnings };
    // Whatever is stamped goes by the time of the store.
    const timeKnown = READING.has(verb) ? undefined : environment.time.known(life);
    const answered = timeKnown === undefined ? VERBS[verb](call) : timeKnown.then(() => VERBS[verb](call));
    return { representation, answered };
  }

  async function refusal(passage: Passage, error: unknown): Promise<ApiResponse> {
    if (passage.life.isReason(error)) return TOO_LATE;
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
    const path = decodePath(readablePart(raw)) ?? raw;
    const ours = versions.some((version) => ownsPath(version, path)) || documents.claims(path);
    if (!ours) return undefined;
    const tooLarge = isTargetTooLarge(request.url);
    const passage: Passage = {
      request,
      life: new RequestLife(request, unfinished),
      path,
      query: tooLarge ? NO_QUERY : parseQuery(query),
      warnings: [],
      auditId: auditIdOf(request, environment.uids),
      started: observe && clock.monotonic(),
      scope: undefined,
      caller: undefined,
      impersonator: undefined,
    };
    return tooLarge ? finished(passage, TARGET_TOO_LARGE) : answer(passage, preset);
  };
}
