/** A request that asks for as much work as it can. */
export interface HostileRequest {
  /** A name in a figure's id: letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** False where the work is done before anybody is authenticated. */
  readonly authenticated: boolean;
  /** Made when it is needed: some are large. Header names are lower-case. */
  make(): {
    readonly method: string;
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly body?: Uint8Array;
  };
}
