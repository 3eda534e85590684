import type { Query } from '../../http/url.js';
import type { Attributes } from '../../auth/contract.js';
import type { ApiRequest } from '../../http/request.js';
import type { Caller } from '../../model/caller.js';
import type { Notify } from '../../observe/observation.js';
import type { Documents } from '../documents/documents.js';
import type { EventsDependencies } from '../request/call.js';
import type { RequestLife } from '../request/request-life.js';
import type { Scope } from '../request/scope.js';
import type { EventVersion } from '../versions/version.js';
import type { Negotiate } from './negotiate.js';

/** Shared by the steps of all requests of one `createEvents`. */
export interface PipelineDependencies extends EventsDependencies {
  readonly versions: readonly EventVersion[];
  readonly documents: Documents;
  readonly negotiate: Negotiate;
  readonly notify: Notify;
}

export interface RequestContext {
  readonly dependencies: PipelineDependencies;
  readonly request: ApiRequest;
  readonly preset: Caller | undefined;
  readonly life: RequestLife;
  /** Decoded. */
  readonly path: string;
  readonly query: Query;
  readonly warnings: string[];
  readonly auditId: string;
  /** The arrival in monotonic milliseconds, if requests are reported. */
  readonly started: number | undefined;
  /** Set once the path is parsed; `undefined` for documents about the API. */
  scope: Scope | undefined;
  /** Set once authenticated; with impersonation, the impersonated caller. */
  caller: Caller | undefined;
  /** The authenticated caller, if `caller` is impersonated. */
  impersonator: Caller | undefined;
}

export function attributesOf({ request, scope, path }: RequestContext): Attributes {
  return scope?.attributes ?? { verb: request.method.toLowerCase(), path };
}
