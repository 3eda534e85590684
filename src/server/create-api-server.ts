import { aVersion, type VersionInfo } from '../api/discovery/version.js';
import { createAccess } from '../auth/access.js';
import type { Authenticate, Authorize } from '../auth/contract.js';
import { aRequiredHook } from '../auth/hook-kinds.js';
import { createImpersonation } from '../auth/impersonation.js';
import { firstOf, refuseListener, type ApiHandler } from '../http/handler.js';
import { auditIdOf } from '../http/headers.js';
import { chain } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';
import { createNotifier, type Observe } from '../observe/observation.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aBoolean, aFunction, aListOfStrings, anObjectWith, required } from '../options/rules.js';
import { NOT_CACHED, shuttingDownResponse } from '../responses/fixed-responses.js';
import { passesWhileDraining } from './passes-while-draining.js';
import { createOtherPaths } from './other-paths.js';

/** A part of an API server that handles certain paths: `createHealth(…)`, `createEvents(…)`. */
export interface ApiServerPart {
  /** Handles the paths of this part, and returns `undefined` for others. */
  readonly handle: ApiHandler;
}

/** The part with the events, which schedules callers fairly. */
export interface ApiServerEvents extends ApiServerPart {
  /**
   * Waits until the client is scheduled, see `Events`. Without it, requests for other paths are handled as they arrive.
   */
  readonly turn?: ((request: ApiRequest) => Promise<unknown> | undefined) | undefined;
}

/** Options of {@link createApiServer}. */
export interface ApiServerOptions {
  /** Called first. Authenticates its requests itself. */
  readonly health: ApiServerPart;
  /** Called second. Authenticates its requests itself. */
  readonly events: ApiServerEvents;
  /** Authenticates callers on all other paths. */
  readonly authenticate: Authenticate;
  /** Decides who may read `/` and `/version`, and who may learn that other paths do not exist. */
  readonly authorize: Authorize;
  /**
   * Lets callers impersonate other users where `authorize` allows it: see `impersonation` of `createEvents`. Default:
   * false: a request with any `Impersonate-*` header is 403.
   */
  readonly impersonation?: boolean | undefined;
  /**
   * The content of `/version`. Omitted fields default to those of the Kubernetes release whose behaviour this library
   * implements.
   */
  readonly version?: Partial<VersionInfo> | undefined;
  /** Receives failures of the two hooks and unexpected errors. Default: they are process warnings. */
  readonly observe?: Observe | undefined;
  /**
   * Paths that `/` lists in addition to itself, `/version` and the three health roots, for example those of discovery.
   * A function is called for every request. A missing path below a listed group or group-version (`/api/v1`) gets 404
   * as a Status.
   */
  readonly extraPaths?: readonly string[] | (() => readonly string[]) | undefined;
}

/** A whole API server as one handler. */
export interface ApiServer {
  /** Responds to every request; never returns `undefined`. */
  readonly handle: ApiHandler;
  /**
   * From now on new requests get 503 with `Retry-After`; health and requests in flight continue. Call it when the
   * server stops accepting connections.
   */
  readonly startDraining: () => void;
}

const OWN_PATHS = ['/', '/index.html', '/healthz', '/livez', '/readyz', '/version'] as const;

/**
 * Combines health and events into an API server that handles every path, for a process that *is* one. In a service with
 * other routes use `firstOf(health.handle, events.handle)` instead.
 *
 * Requests for all other paths are authenticated (401) and authorized (403, by resource where the path looks like one),
 * then served: `/` with the list of paths, `/version`, everything else 404. Every response has `Audit-Id` and
 * `Cache-Control`.
 *
 * @throws TypeError listing all faults of the options
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  checkOptions('createApiServer', options, rules());
  const { health, events } = options;
  const notify = createNotifier(options.observe);
  const access = createAccess({
    authenticate: options.authenticate,
    authorize: options.authorize,
    impersonation: options.impersonation ? createImpersonation : undefined,
    report: (hook, error) => notify({ type: 'error', error, where: `server: ${hook}` }),
  });
  const extra = options.extraPaths ?? [];
  const paths = (): readonly string[] => [...OWN_PATHS, ...(typeof extra === 'function' ? extra() : extra)];
  const otherPaths = createOtherPaths({ access, paths, version: options.version, notify });
  const { turn = (): undefined => undefined } = events;
  const respond = firstOf(health.handle, events.handle, (request) =>
    chain(isHealth(request) ? undefined : turn(request), () => otherPaths(request)),
  );
  let draining = false;
  const admit = (request: ApiRequest): ReturnType<ApiHandler> => {
    // So that clients whose connections are still open use another server.
    if (draining && !passesWhileDraining(request)) return shuttingDownResponse();
    // The Event API schedules its callers itself.
    return chain(isHealth(request) ? turn(request) : undefined, () => respond(request));
  };
  return {
    handle: (sent: ApiRequest, given?: unknown) => {
      refuseListener(given);
      // About the server, not about a resource: every server in Go answers it, before any handler and without one.
      if (sent.method === 'OPTIONS' && sent.url === '*') return { status: 200, headers: {}, body: '' };
      const request = asLast(sent);
      return chain(admit(request), (response) => withStandardHeaders(request, response as ApiResponse));
    },
    startDraining: () => {
      draining = true;
    },
  };
}

/** The request with `hasNext: false`, regardless of the bridge, because no other handler follows. */
function asLast(request: ApiRequest): ApiRequest {
  if (request.hasNext !== true) return request;
  // Not a proxy of the request itself, which may be frozen.
  return new Proxy<Partial<ApiRequest>>(
    {},
    {
      get(_, name: keyof ApiRequest) {
        if (name === 'hasNext') return false;
        return name === 'body' ? request.body?.bind(request) : request[name];
      },
    },
  ) as ApiRequest;
}

function withStandardHeaders(request: ApiRequest, response: ApiResponse): ApiResponse {
  const { headers } = response;
  if ('audit-id' in headers && 'cache-control' in headers) return response;
  return { ...response, headers: { 'audit-id': auditIdOf(request), ...NOT_CACHED, ...headers } };
}

const HEALTH = /^\/(?:healthz|livez|readyz)(?:[/?]|$)/;

const isHealth = ({ url }: ApiRequest): boolean => HEALTH.test(url);

const rules = (): OptionRules<ApiServerOptions> => ({
  health: required(anObjectWith(['handle'], 'an object with a function handle')),
  events: required(anObjectWith(['handle'], 'an object with a function handle')),
  authenticate: aRequiredHook('authenticate'),
  authorize: aRequiredHook('authorize'),
  impersonation: aBoolean,
  version: aVersion,
  observe: aFunction,
  extraPaths: (value, name) =>
    typeof value === 'function'
      ? []
      : aListOfStrings(value, name).map((fault) => `${fault}, or a function that returns one`),
});
