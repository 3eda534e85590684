import { APPLY_TYPE, patchTypeOf } from '../../api/patch/apply-patch.js';
import { header } from '../../http/headers.js';
import { chain, isPromise } from '../../http/promise.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import type { Place } from '../../limits/in-flight.js';
import type { Caller } from '../../model/caller.js';
import { getEvent } from '../reading/get-event.js';
import { listEvents } from '../reading/list-events.js';
import { watchEvents } from '../reading/watch-events.js';
import { inTurn, isRead, type Result, type VerbCall } from '../request/call.js';
import { routeOf, type Verb } from '../request/scope.js';
import { applyEvent } from '../writing/apply-event.js';
import { createEvent } from '../writing/create-event.js';
import { deleteEvent } from '../writing/delete-event.js';
import { deleteEvents } from '../writing/delete-events.js';
import { patchEvent } from '../writing/patch-event.js';
import { updateEvent } from '../writing/update-event.js';
import { render } from './render.js';
import type { RequestContext } from './request-context.js';

type RunVerb = (call: VerbCall) => Result | Promise<Result>;

const VERBS: Readonly<Record<Exclude<Verb, 'patch'>, RunVerb>> = {
  get: getEvent,
  list: listEvents,
  watch: watchEvents,
  create: createEvent,
  update: updateEvent,
  delete: deleteEvent,
  deletecollection: deleteEvents,
};

/**
 * Runs the verb, or returns a document about the API. Content types and `Accept` are checked before, so that a refused
 * request changes nothing. @throws StatusFailure 404, 405, 406, 415, and those of the verb
 */
export function dispatch(context: RequestContext, caller: Caller, place: Place): ApiResponse | Promise<ApiResponse> {
  const { dependencies, request, path, life, query, warnings, scope } = context;
  if (!scope) return dependencies.documents.respond(request, path, query);
  const { version, verb } = routeOf(scope, request.method, dependencies.versions);
  const run = verb === 'patch' ? patchVerb(request) : VERBS[verb];
  const responseKind = verb === 'watch' ? 'watch' : verb === 'list' ? 'list' : 'object';
  const representation = dependencies.negotiate(request, query, version.view, responseKind, scope.name);
  const { joinsItems } = representation;
  const call: VerbCall = { dependencies, request, life, version, scope, query, caller, joinsItems, warnings };
  // Writes need the time of the store, which may have to be read first.
  const result = isRead(verb) ? run(call) : chain(dependencies.time.known(life), () => run(call));
  const respond = (ready: Result): ApiResponse | Promise<ApiResponse> => render(call, representation, ready, place);
  // A durable store returns many events at once. Writing them as anything but JSON takes time.
  return chain(result, isPromise(result) && !joinsItems ? (ready) => inTurn(call, () => respond(ready)) : respond);
}

function patchVerb(request: ApiRequest): RunVerb {
  const type = patchTypeOf(header(request, 'content-type') ?? '');
  return type === APPLY_TYPE ? applyEvent : (call) => patchEvent(call, type);
}
