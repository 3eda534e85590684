import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';

/**
 * Authenticates a request. `undefined` means *no credential of my kind*: another authenticator may know it, and
 * with none left the answer is 401. **Throwing means 401**, never anonymous, and what is thrown is not shown to the client:
 * throw `badCredential()` for a credential that is bad, since anything else is taken for a failure of the hook and reported to
 * `observe` (`where: 'events: authenticate'`), as an answer that is no caller is.
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

/** What a caller wants to do with a path that is no resource. `verb` is the lower-case method. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** What is asked of an {@link Authorize} hook. */
export type Attributes = ResourceAttributes | PathAttributes;

/** The answer of an {@link Authorize} hook. `reason` ends the 403 message. */
export interface Decision {
  /** Only `true` allows. What is neither `true` nor `false` refuses, and is reported to `observe` as a mistake of the hook. */
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

/** Says whether a caller may do something. Throwing is a failure of the authorizer: a bare 500, reported to `observe`. */
export type Authorize = (caller: Caller, attributes: Attributes) => Decision | Promise<Decision>;
