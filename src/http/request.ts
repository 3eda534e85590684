/** Header names are lower-case; a header that came several times may be a list. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The subject of a client certificate that the TLS layer has *verified*. */
export interface PeerCertificate {
  /** Common name: the user name. */
  readonly commonName: string;
  /** Organizations: the groups. */
  readonly organizations: readonly string[];
}

/** Options of reading a body. */
export interface BodyCall {
  /** Aborted when the body is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A request in the form every handler takes, whatever server it came from. Bridges (`kube-vitals/node`,
 * `kube-vitals/fetch`) make it from a real one; tests and other frameworks write it as a literal.
 */
export interface ApiRequest {
  /** Upper-case method, as received. */
  readonly method: string;
  /** Path and query as received (origin form, still percent-encoded), without the base path of a mount. */
  readonly url: string;
  /** The headers. Absent: none. */
  readonly headers?: RequestHeaders | undefined;
  /**
   * Reads the body. Called at most once, and never for GET and HEAD. `limit` is the number of bytes the caller will
   * accept: a reader stops one byte past it and throws `bodyTooLarge(limit)`. `call.signal` is aborted when the body is
   * no longer needed, because the request took too long or its client left: a reader that waits then stops, and rejects
   * with the signal's reason. The signal is created when it is first accessed: a reader that never waits should not.
   */
  readonly body?: ((limit: number, call?: BodyCall) => Promise<Uint8Array | string> | Uint8Array | string) | undefined;
  /**
   * True where other routes of the service are tried after this handler: where a framework passes `next`, and over
   * fetch. The handler then leaves them the paths that services often serve themselves. Default: false.
   */
  readonly hasNext?: boolean | undefined;
  /**
   * Aborted when the client has left or the server closes *while the response is unfinished*; never after. May be a
   * getter that makes the signal on first read: read it only where something waits.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The value of `signal.aborted`, for code that only needs that: a bridge creates the signal when it is first read.
   */
  readonly aborted?: boolean | undefined;
  /** The address of the client's socket, without port. */
  readonly remoteAddress?: string | undefined;
  /** The client's certificate, where TLS has verified one. */
  readonly peerCertificate?: PeerCertificate | undefined;
  /**
   * The request as the framework has it: `req` of node:http and Express, `ctx` of Koa, the request of Fastify, and over
   * fetch the `context` that the service has given. `callerFrom` reads it with a type.
   */
  readonly framework?: unknown;
}
