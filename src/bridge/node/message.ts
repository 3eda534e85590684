/** The part of a socket that the bridge looks at. */
export interface NodeSocket {
  readonly remoteAddress?: string | undefined;
  readonly destroyed?: boolean | undefined;
  /** The server of `node:http` that accepted it. */
  readonly server?: object | null | undefined;
  /** Present on TLS sockets; true only when the client certificate was verified. */
  readonly authorized?: boolean | undefined;
  getPeerCertificate?(): unknown;
  /** Bytes handed to the socket so far, and those of them that wait in it. */
  readonly bytesWritten?: number | undefined;
  readonly writableLength?: number | undefined;
  /** Internal to Node; without it progress is measured less exactly. */
  readonly _handle?: { readonly writeQueueSize?: number | undefined } | null | undefined;
  /** False once this side has been ended. */
  readonly writable?: boolean | undefined;
  destroySoon?(): void;
  destroy(): unknown;
  pause?(): unknown;
  resume?(): unknown;
  once(event: string, listener: (...values: never[]) => void): unknown;
  on?(event: string, listener: (...values: never[]) => void): unknown;
}

/**
 * A request of `node:http` or of the compatibility API of `node:http2`, also inside a framework that added `originalUrl`,
 * `body` or `rawBody`. A structural type, so that any of them fits.
 */
export interface NodeIncoming {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Set by Express and Connect, which rewrite `url` below a mount point. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: NodeSocket | null;
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly readableDidRead?: boolean | undefined;
  /** The body as a parser of the framework left it: bytes, text, or the parsed value. */
  readonly body?: unknown;
  /** The body as bytes or text, where a framework keeps it; preferred to `body`. */
  readonly rawBody?: unknown;
  on(event: string, listener: (...values: never[]) => void): unknown;
  removeListener(event: string, listener: (...values: never[]) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The stream below a message of HTTP/2. */
export interface Http2StreamLike {
  readonly destroyed: boolean;
  /** True when the request came without a body. */
  readonly endAfterHeaders: boolean;
  readonly session?: Http2SessionLike | undefined;
  close(code?: number): void;
}

/** A connection of HTTP/2. */
export interface Http2SessionLike {
  readonly closed: boolean;
  close(): void;
  /** A proxy of the socket that cannot be destroyed; `once` returns the socket itself. */
  readonly socket?: { once(event: string, listener: () => void): { destroy(): unknown } } | undefined;
  once(event: string, listener: (...values: never[]) => void): unknown;
}

/** The answer that belongs to a {@link NodeIncoming}. */
export interface NodeOutgoing {
  readonly headersSent: boolean;
  readonly destroyed?: boolean | undefined;
  /** `null` while an answer of HTTP/1 waits behind another one on its connection, and again when it is finished. */
  readonly socket: NodeSocket | null;
  /** Bytes that wait for the client. */
  readonly writableLength?: number | undefined;
  /** False makes HTTP/1 say `Connection: close`. */
  shouldKeepAlive?: boolean | undefined;
  /** A header that middleware has set. */
  getHeader?(name: string): number | string | readonly string[] | undefined;
  writeHead(status: number, headers: Record<string, string | number | string[]>): unknown;
  /** Not needed over HTTP/2, where `writeHead` sends at once. */
  flushHeaders?(): void;
  write(chunk: string | Uint8Array, callback?: (error?: Error | null) => void): boolean;
  /** The callback is called when everything was handed to the system, and not when the connection broke before. */
  end(body?: string | Uint8Array, callback?: () => void): unknown;
  destroy(): unknown;
  once(event: string, listener: (...values: never[]) => void): unknown;
  on(event: string, listener: (...values: never[]) => void): unknown;
  removeListener(event: string, listener: (...values: never[]) => void): unknown;
}

/** The HTTP/2 stream of a message, or nothing on HTTP/1. */
export function http2Stream(message: NodeIncoming | NodeOutgoing): Http2StreamLike | undefined {
  const stream = (message as { readonly stream?: Partial<Http2StreamLike> | null }).stream;
  return typeof stream?.close === 'function' ? (stream as Http2StreamLike) : undefined;
}

/** True when the client has left. */
export function isGone(req: NodeIncoming, res: NodeOutgoing): boolean {
  if (res.destroyed === true || http2Stream(res)?.destroyed === true) return true;
  return res.socket === null && req.socket?.destroyed === true;
}

/** True while an answer of HTTP/1 can still be written: Node ends its side when the client ends its own. */
export function isWritable(res: NodeOutgoing): boolean {
  return res.socket?.writable !== false;
}

/** Ends an answer that cannot be completed, so that the client sees that it is incomplete. */
export function tearDown(res: NodeOutgoing): void {
  const stream = http2Stream(res);
  if (stream === undefined) res.destroy();
  else stream.close(2); // INTERNAL_ERROR: closing without a code would look like a proper end.
}
