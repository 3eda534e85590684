import type { ApiHandler } from '../../http/handler.js';

/**
 * Carries requests to a server: a handler. Over HTTP it is that of `httpTransport`; in one process it is the server's
 * own, such as `events.as(caller)`, and nothing is sent at all. It resolves or rejects, with a ConnectionError where
 * the server was not reached; `undefined` (*not my path*) means that the server has no such API. It ends the request
 * when the request's signal is aborted, and releases a streamed body when its iterator is ended.
 */
export type Transport = ApiHandler;

/** A transport with connections. */
export interface ConnectedTransport {
  /** Sends a request. */
  readonly handle: Transport;
  /** The address of the server, which errors about its responses name. */
  readonly server?: string | undefined;
  /** The namespace that the configuration names, such as that of a context in a kubeconfig or of a pod. */
  readonly namespace?: string | undefined;
  /** Ends requests under way and closes the connections. May be called twice. */
  close(): Promise<void>;
}
