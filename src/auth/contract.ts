import { hasBrand } from '../model/brand.js';
import type { ApiRequest } from '../http/request.js';
import type { Caller } from '../model/caller.js';
import type { Status } from '../model/status.js';

/**
 * Authenticates a request. `undefined` means that it has no credential of a supported kind: the next authenticator is
 * called, and if there is none the response is 401. **Throwing means 401**, never anonymous, and the error is not shown
 * to the client: throw `badCredential()` for an invalid credential, since any other error is treated as a failure of
 * the hook and reported to `observe` (`where: 'events: authenticate'`), as is a result that is not a caller.
 */
export type Authenticate = (request: ApiRequest) => Caller | undefined | Promise<Caller | undefined>;

/** What a caller wants to do with a resource. */
export interface ResourceAttributes {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or `impersonate`. */
  readonly verb: string;
  /** API group; empty for the core group. */
  readonly group: string;
  /** The version in the path: `v1`. */
  readonly version: string;
  /** The resource in the plural: `events`. */
  readonly resource: string;
  /** The part of the object, such as `status`. Absent for the object itself. */
  readonly subresource?: string | undefined;
  /** Absent for a request over all namespaces. */
  readonly namespace?: string | undefined;
  /** The name of the object. Absent for a request over many. */
  readonly name?: string | undefined;
}

/** What a caller wants to do with a non-resource path. `verb` is the lower-case method. */
export interface PathAttributes {
  /** The method, in lower case. */
  readonly verb: string;
  /** The path of the request. */
  readonly path: string;
}

/** What an {@link Authorize} hook decides about. */
export type Attributes = ResourceAttributes | PathAttributes;

/** The result of an {@link Authorize} hook. `reason` is the end of the 403 message. */
export interface Decision {
  /**
   * Only `true` allows. A value other than `true` and `false` denies, and is reported to `observe` as an error of the
   * hook.
   */
  readonly allowed: boolean;
  /** Why, for the end of the 403 message. Default: none. */
  readonly reason?: string | undefined;
}

/** The decisions without a reason. */
export const ALLOWED: Decision = /* @__PURE__ */ Object.freeze({ allowed: true });
export const DENIED: Decision = /* @__PURE__ */ Object.freeze({ allowed: false });

/**
 * Decides whether a caller may do something. Throwing is a failure of the authorizer: a bare 500, reported to
 * `observe`.
 */
export type Authorize = (caller: Caller, attributes: Attributes) => Decision | Promise<Decision>;

/** The user name of a request without credentials. */
export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
/** The group of every anonymous caller. */
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group of administrators. Its reads and writes are never refused by the limits on requests in flight. */
export const MASTERS = 'system:masters';

const BRAND: unique symbol = Symbol.for('kube-vitals.BadCredential') as never;

/** The error that an `authenticate` hook throws for an invalid credential. See {@link isBadCredential}. */
export interface BadCredential extends Error {
  /** The error's name. Recognise the error with `isBadCredential`. */
  readonly name: 'BadCredential';
}

/**
 * Creates the error with which an `authenticate` hook refuses a credential: 401, not reported, since any client can
 * send any number of bad credentials. Any other error of the hook is a 401 too, but is treated as a failure of the hook
 * and reported to `observe`.
 *
 * @param message for the service only; never sent to clients
 */
export function badCredential(
  message = 'bad credential',
  more: {
    /** The `cause` of the error. */
    readonly cause?: unknown;
  } = {},
): BadCredential {
  // `Error` ignores a value that is not an object, so that a wrong argument does not hide the refusal.
  const error = new Error(message, more);
  return Object.assign(error, { name: 'BadCredential' as const, [BRAND]: true });
}

/** True for a {@link BadCredential}, including one created by another copy of the package. */
export function isBadCredential(value: unknown): value is BadCredential {
  return hasBrand(value, BRAND);
}

/** The caller after impersonation, or the refusal: a 400 or a 403, sent with `nosniff`. */
export type Impersonated =
  | {
      /** The impersonated user, or the caller itself if the request does not impersonate anyone. */
      readonly caller: Caller;
    }
  | {
      /** The refusal, as the body of the response. */
      readonly refused: Status;
    };

/**
 * Replaces the caller by the user that the request impersonates.
 *
 * @param attributes of the request: some rights to impersonate apply to certain requests only
 */
export type Impersonate = (
  request: ApiRequest,
  caller: Caller,
  attributes: Attributes,
) => Impersonated | Promise<Impersonated>;

/** The type of `createImpersonation`. */
export type CreateImpersonation = (authorize: Authorize) => Impersonate;
