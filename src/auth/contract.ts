import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';

/**
 * Authenticates a request. `undefined` means that it has no credential of a kind known here: another authenticator is asked, and
 * if none is left the response is 401. **Throwing means 401**, never anonymous, and the error is not shown to the client:
 * throw `badCredential()` for an invalid credential, since any other error is treated as a failure of the hook and reported to
 * `observe` (`where: 'events: authenticate'`), as is a result that is not a caller.
 */
export type Authenticate = (request: ApiRequest) => Caller | undefined | Promise<Caller | undefined>;

/** What a caller wants to do with a resource. */
export interface ResourceAttributes {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or `impersonate`. */
  readonly verb: string;
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Absent for a request over all namespaces. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** What a caller wants to do with a non-resource path. `verb` is the lower-case method. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** What an {@link Authorize} hook decides about. */
export type Attributes = ResourceAttributes | PathAttributes;

/** The result of an {@link Authorize} hook. `reason` is the end of the 403 message. */
export interface Decision {
  /** Only `true` allows. Any value but `true` and `false` denies, and is reported to `observe` as a mistake of the hook. */
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** Decides whether a caller may do something. Throwing is a failure of the authorizer: a bare 500, reported to `observe`. */
export type Authorize = (caller: Caller, attributes: Attributes) => Decision | Promise<Decision>;
