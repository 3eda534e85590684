import { createVersion, type VersionInfo } from '../api/discovery/version.js';
import { negotiationInputs } from '../api/representation/choice.js';
import { respondFailure } from '../api/representation/respond.js';
import { first, flag } from '../api/options/query.js';
import { accessAttributes, isWatchRoot, readRequestInfo } from '../api/request-info.js';
import { badRequest, methodNotAllowed, routeNotFound } from '../api/status/failures.js';
import type { Access } from '../auth/access.js';
import { bearerWarning } from '../auth/bearer-token.js';
import type { Attributes } from '../auth/contract.js';
import { forbiddenStatus } from '../auth/refusal.js';
import { parseGoDuration } from '../time/go-duration.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse, ResponseHeaders } from '../http/response.js';
import { isTargetTooLarge, decodePath, parseQuery, splitUrl, type Query } from '../http/url.js';
import type { Status } from '../model/status.js';
import type { Notify } from '../observe/observation.js';
import { badTimeoutMessage, UNAUTHORIZED } from '../responses/failure-status.js';
import {
  badPathText,
  internalErrorText,
  NOSNIFF,
  notFoundText,
  TARGET_TOO_LARGE,
} from '../responses/fixed-responses.js';

export interface OtherPathsOptions {
  readonly access: Access;
  /** Returns all paths that `/` lists, in any order. Called for each request, because the paths may change. */
  readonly paths: () => readonly string[];
  readonly version: Partial<VersionInfo> | undefined;
  readonly notify: Notify;
}

/**
 * The paths that belong to no part of an API server, with checks in Kubernetes' order: a bad `?timeout=` (400),
 * authentication (401), authorization (403), then `/`, `/version`, 405 for a namespace, 404.
 */
export function createOtherPaths(options: OtherPathsOptions): (request: ApiRequest) => Promise<ApiResponse> {
  const { access, notify } = options;
  const version = createVersion(options.version);

  const respond = async (request: ApiRequest): Promise<ApiResponse> => {
    if (isTargetTooLarge(request.url)) return TARGET_TOO_LARGE;
    const target = splitUrl(request.url);
    const path = decodePath(target.path);
    if (path === undefined) return badPathText();
    const query = parseQuery(target.query);
    const attributes = requestAttributes(request.method, path, query);

    const fault = timeoutFault(query, attributes);
    if (fault !== undefined) return failure(request, query, badRequest(fault).status);

    const caller = await access.authenticate(request);
    if (caller === undefined) return failure(request, query, UNAUTHORIZED);
    try {
      const asked = await access.impersonate(request, caller, attributes);
      if ('refused' in asked) return await failure(request, query, asked.refused, NOSNIFF);
      const { allowed, reason } = await access.authorize(asked.caller, attributes);
      if (!allowed) return await failure(request, query, forbiddenStatus(asked.caller, attributes, reason), NOSNIFF);
    } catch (error) {
      notify({ type: 'error', error, where: 'server: authorize' });
      return internalErrorText();
    }
    if (path === '/' || path === '/index.html') return indexDocument(options.paths());
    const document = await version(request, path);
    if (document) return document;
    if (isNamespace(attributes)) return failure(request, query, methodNotAllowed().status);
    return isBelowRoot(path, options.paths()) ? failure(request, query, routeNotFound().status) : notFoundText();
  };
  return async (request) => withWarning(request, await respond(request));
}

/** Whether a namespace is requested, as kubectl does after a 404: it would print another 404 instead (decision 19). */
function isNamespace(attributes: Attributes): boolean {
  if (!('resource' in attributes) || attributes.group !== '' || attributes.resource !== 'namespaces') return false;
  return attributes.verb === 'get' && attributes.subresource === undefined;
}

/** Whether Kubernetes' router, and not the server in front of it, responds with 404 to the path. */
function isBelowRoot(path: string, served: readonly string[]): boolean {
  return !isWatchRoot(path) && served.some((root) => API_ROOT.test(root) && path.startsWith(`${root}/`));
}

const API_ROOT = /^\/(api|apis\/[^/]+)(\/[^/]+)?$/;

/** Returns the attributes of a resource if the path looks like one, whether or not its group is served. */
export function requestAttributes(method: string, path: string, query: Query): Attributes {
  return accessAttributes(readRequestInfo(method, path, flag(query, 'watch') === true), selectedName(query));
}

/** The name in a field selector of an unknown resource, if the selector has no other term. */
function selectedName(query: Query): string {
  const term = /^metadata\.name==?([^,=\\]+)$/.exec(first(query, 'fieldSelector') ?? '');
  return term?.[1] ?? '';
}

async function failure(
  request: ApiRequest,
  query: Query,
  status: Status,
  headers: ResponseHeaders = {},
): Promise<ApiResponse> {
  const response = await respondFailure(status, negotiationInputs(request.headers, query));
  return { ...response, headers: { ...response.headers, ...headers } };
}

function timeoutFault(query: Query, { verb }: Attributes): string | undefined {
  const text = query.get('timeout')?.[0];
  if (!text || verb === 'watch') return undefined;
  const parsed = parseGoDuration(text);
  return 'fault' in parsed ? badTimeoutMessage(parsed.fault) : undefined;
}

/** Adds a warning to any response if the client put two spaces before its token. */
function withWarning(request: ApiRequest, response: ApiResponse): ApiResponse {
  const text = bearerWarning(request);
  return text === undefined ? response : { ...response, headers: { ...response.headers, warning: `299 - "${text}"` } };
}

function indexDocument(paths: readonly string[]): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paths: [...new Set(paths)].sort() }, undefined, 2),
  };
}
