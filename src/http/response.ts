/** Header names are lower-case. A list becomes one header line per value. Never contains hop-by-hop headers. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * What a handler answers. A watch and a large list are ordinary responses whose body is an async iterable; it ends when
 * the request's signal is aborted. **A chunk belongs to the consumer until it asks for the next one**: producers reuse
 * buffers, so whoever keeps a chunk longer copies it. Nobody writes to one, and nobody transfers its `buffer`: others may be
 * sent the same, and it holds other chunks.
 */
export interface ApiResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
  /**
   * Present where the bytes of `body` are lent: told once, when they were sent, so that their memory can serve again. The
   * bridge to Node does; whoever does not, or keeps the answer for longer, leaves it out and nothing is lost.
   */
  readonly release?: () => void;
  /**
   * Present where a streamed answer has a deadline: aborted when it is to be given up, also while a chunk is on its way to
   * the client. Bridges then break the connection (or the stream of HTTP/2) off, so that nobody takes the part for the
   * whole, and let the source go. It may be a getter of a class, which
   * makes one: `{ ...response }` leaves it out, so name it where you copy an answer. The bridge to Node reads it after 100 ms,
   * where the answer is not sent by then.
   */
  readonly signal?: AbortSignal;
}
