import process from 'node:process';
import type { NodeSocket } from '../exchange/node-socket.js';

/**
 * A request of `node:http` or of the compatibility API of `node:http2`, also inside a framework that added
 * `originalUrl`, `body` or `rawBody`. A structural type, so that any of them fits.
 */
export interface NodeIncoming {
  /** The method, as received. */
  readonly method?: string | undefined;
  /** The request target, as received. */
  readonly url?: string | undefined;
  /** Set by Express and Connect, which rewrite `url` below a mount point. */
  readonly originalUrl?: string | undefined;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as received. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** The connection. */
  readonly socket: NodeSocket | null;
  /** True when the whole request has been received. */
  readonly complete: boolean;
  /** True when the connection was lost. */
  readonly destroyed: boolean;
  /** True when the body was read to its end. */
  readonly readableEnded: boolean;
  /** True when reading the body has begun. */
  readonly readableDidRead?: boolean | undefined;
  /** The body as a parser of the framework left it: bytes, text, or the parsed value. */
  readonly body?: unknown;
  /** The body as bytes or text, if a framework stores it; it takes precedence over `body`. */
  readonly rawBody?: unknown;
  /** Listens for events of the body. */
  on(event: string, listener: (...values: unknown[]) => void): unknown;
  /** Stops listening. */
  removeListener(event: string, listener: (...values: unknown[]) => void): unknown;
  /** Pauses reading of the body. */
  pause(): unknown;
  /** Resumes reading of the body; without a listener it is discarded. */
  resume(): unknown;
}

/** The stream below a message of HTTP/2. */
export interface Http2StreamLike {
  readonly destroyed: boolean;
  /** True if it was closed while the response was incomplete. */
  readonly aborted: boolean;
  /** True when the request came without a body. */
  readonly endAfterHeaders: boolean;
  readonly session?: Http2SessionLike | undefined;
  respond?: (headers: unknown, options: object) => void;
  close(code?: number): void;
  destroy(): unknown;
  once(event: 'aborted', listener: (this: Http2StreamLike) => void): unknown;
  removeListener(event: 'aborted', listener: (this: Http2StreamLike) => void): unknown;
}

/** A connection of HTTP/2. */
export interface Http2SessionLike {
  /** True once `close` was called. */
  readonly closed: boolean;
  /** Sends GOAWAY, and closes when the open streams have ended. */
  close(): void;
  /** A proxy of the socket that cannot be destroyed; `once` returns the socket itself. */
  readonly socket?:
    | {
        /** Listens once, and returns the socket. */
        once(
          event: string,
          listener: () => void,
        ): {
          /** Closes the connection at once. */
          destroy(): unknown;
        };
      }
    | undefined;
  /** Listens once. */
  once(event: string, listener: (...values: unknown[]) => void): unknown;
}

/** The response that belongs to a {@link NodeIncoming}. */
export interface NodeOutgoing {
  /** True when the headers have been sent. */
  readonly headersSent: boolean;
  /** True when the connection was lost. */
  readonly destroyed?: boolean | undefined;
  /** `null` while a response of HTTP/1 waits behind another one on its connection, and again after it is finished. */
  readonly socket: NodeSocket | null;
  /** Bytes that wait for the client. */
  readonly writableLength?: number | undefined;
  /** False makes an HTTP/1 response have `Connection: close`. */
  shouldKeepAlive?: boolean | undefined;
  /** Returns a header that middleware has set. */
  getHeader?(name: string): number | string | readonly string[] | undefined;
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Record<string, string | number | string[]>): unknown;
  /** Not needed over HTTP/2, where `writeHead` sends at once. */
  flushHeaders?(): void;
  /** Sends a chunk; false when it has to wait in memory. */
  write(chunk: string | Uint8Array, callback?: (error?: Error | null) => void): boolean;
  /**
   * Ends the response. The callback is called when everything was handed to the operating system; it is not called if
   * the connection was lost before.
   */
  end(body?: string | Uint8Array, callback?: () => void): unknown;
  /** Closes the connection, or over HTTP/2 the stream. */
  destroy(): unknown;
  /** Listens once. */
  once(event: string, listener: (...values: unknown[]) => void): unknown;
  /** Listens for events of the response. */
  on(event: string, listener: (...values: unknown[]) => void): unknown;
  /** Stops listening. */
  removeListener(event: string, listener: (...values: unknown[]) => void): unknown;
}

export function http2Stream(message: NodeIncoming | NodeOutgoing): Http2StreamLike | undefined {
  const stream = (message as { readonly stream?: Partial<Http2StreamLike> | null }).stream;
  return typeof stream?.close === 'function' ? (stream as Http2StreamLike) : undefined;
}

/**
 * Destroys the HTTP/2 stream of a request when the client resets it. Node does so itself unless the code is NO_ERROR,
 * which Envoy sends: the body then ends as if it were complete, and the stream may never close.
 */
export function destroyWhenReset(req: NodeIncoming): void {
  const stream = http2Stream(req);
  if (stream?.aborted === true) stream.destroy();
  else stream?.once('aborted', destroySoon);
}

/** Undoes {@link destroyWhenReset}. */
export function keepWhenReset(req: NodeIncoming): void {
  http2Stream(req)?.removeListener('aborted', destroySoon);
}

function destroySoon(this: Http2StreamLike): void {
  // Not at once: the code of `tearDown` is sent after this event.
  process.nextTick(() => this.destroy());
}

export function isGone(req: NodeIncoming, res: NodeOutgoing): boolean {
  if (res.destroyed === true || http2Stream(res)?.destroyed === true) return true;
  return res.socket === null && req.socket?.destroyed === true;
}

/** True while a response of HTTP/1 can still be written: Node ends its side when the client ends its own. */
export function isWritable(res: NodeOutgoing): boolean {
  return res.socket?.writable !== false;
}

/** A socket that is written to without the `write` of its response. */
export interface DirectSocket extends NodeSocket {
  readonly _httpMessage?: unknown;
  write?(chunk: Uint8Array, callback?: (error?: Error | null) => void): boolean;
}

/** Returns the socket of an HTTP/1 response that waits behind no other: Node would write to it at once. */
export function directSocket(res: NodeOutgoing): DirectSocket | undefined {
  const socket = res.socket as DirectSocket | null;
  if (socket === null || socket._httpMessage !== res || socket.writable !== true) return undefined;
  return res.writableLength === socket.writableLength ? socket : undefined;
}

/** Ends a response that cannot be completed, so that the client sees that it is incomplete. */
export function tearDown(res: NodeOutgoing): void {
  const stream = http2Stream(res);
  if (stream === undefined) res.destroy();
  else stream.close(2); // INTERNAL_ERROR: closing without a code would look like a proper end.
}
