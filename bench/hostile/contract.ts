/** A request as handlers get it. Header names are lower-case. */
export interface MadeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array;
}

/** A request that causes as much work as it can. */
export interface HostileRequest {
  /** A name in a figure's id: letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** False where the work is done before anybody is authenticated. */
  readonly authenticated: boolean;
  /** True if its body is as long as a body may be. */
  readonly sized?: boolean;
  /** Requests that authenticated callers send before, to store what this request has to read. */
  before?(bodyBytes: number): Iterable<MadeRequest>;
  /**
   * Makes the request; called only when it is needed, because some are large.
   * @param bodyBytes how long a body may be
   */
  make(bodyBytes: number): MadeRequest;
}
