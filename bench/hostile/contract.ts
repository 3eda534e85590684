/** A request as handlers take it. Header names are lower-case. */
export interface MadeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array;
}

/** A request that asks for as much work as it can. */
export interface HostileRequest {
  /** A name in a figure's id: letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** False where the work is done before anybody is authenticated. */
  readonly authenticated: boolean;
  /** Its body is as long as a body may be. */
  readonly sized?: boolean;
  /** What is written before, by authenticated callers: what the request has to go through. */
  before?(bodyBytes: number): Iterable<MadeRequest>;
  /**
   * Made when it is needed: some are large.
   * @param bodyBytes how long a body may be
   */
  make(bodyBytes: number): MadeRequest;
}
