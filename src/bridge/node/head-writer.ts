import type { Clock } from '../../clock/clock.js';
import { type ApiResponse, isBodiless } from '../../http/response.js';
import { http2Stream, type Http2StreamLike, type NodeOutgoing } from './message.js';
import { http } from './node-http.js';

type Head = Pick<ApiResponse, 'status' | 'headers'>;

/** Headers of an HTTP/1 connection; Node refuses to send them over HTTP/2. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'];

/** Headers that Node not only writes, but also processes. */
const LEFT_TO_NODE: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-disposition',
  'content-length',
  'cookie',
  'date',
  'expect',
  'trailer',
]);

/** A name in lower case. */
const TOKEN = /^[-!#$%&'*+.^_`|~\da-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const MAX_NAMES = 64;

const SECOND_US = 1_000_000;

/** The undocumented members of a `ServerResponse` that are used. */
interface UnsentResponse extends NodeOutgoing {
  statusCode?: number;
  statusMessage?: string | undefined;
  readonly sendDate?: boolean;
  getHeaderNames?(): readonly string[];
  removeHeader?(name: string): void;
  /** The text of the head, `null` before it is set. */
  _header?: unknown;
  _contentLength?: number | null;
  readonly _expect_continue?: boolean;
  readonly _removedConnection?: boolean;
  readonly _keepAliveTimeout?: number;
  readonly _maxRequestsPerSocket?: number | null;
  readonly maxRequestsOnConnectionReached?: boolean;
}

/** The lines that Node has written after the headers of a response: `Date`, `Connection`, `Keep-Alive`. */
interface HeadEnd {
  readonly text: string;
  /** The second of its `Date`. */
  readonly second: number;
  readonly keepAliveTimeout: unknown;
  readonly maxRequests: unknown;
}

/**
 * Creates the head writer of a listener. A response without headers of middleware gets its own lines, cached, and the
 * end that Node has written in the same second, which saves 4 % of the CPU of a get or probe (decision 78). For
 * others Node's `writeHead` is called. `length`: the Content-Length; default: the handler's.
 */
export function createHeadWriter(clock: Clock): (res: UnsentResponse, head: Head, length: number | undefined) => void {
  const linesOf = createHeaderLines();
  let last: HeadEnd | undefined;

  return (res, head, length) => {
    const own = length !== undefined && isComposable(res) ? linesOf(head, length) : undefined;
    if (own === undefined) return writeHead(res, head, length);
    const { _keepAliveTimeout: keepAliveTimeout, _maxRequestsPerSocket: maxRequests } = res;
    const second = Math.floor(clock.now() / SECOND_US);
    if (last?.second !== second || last.keepAliveTimeout !== keepAliveTimeout || last.maxRequests !== maxRequests) {
      writeHead(res, head, length);
      const text = endOf(res._header, own);
      last = text === undefined ? undefined : { text, second, keepAliveTimeout, maxRequests };
      return;
    }
    res.statusMessage = reasonOf(head.status);
    res.statusCode = head.status;
    res._contentLength = length as number;
    res._header = own + last.text;
  };
}

/** Headers that describe the body of the response that is not sent. */
const DESCRIBING = ['content-encoding', 'content-language', 'content-range', 'etag', 'last-modified'];

/** Clears what Node retains of a head that it refused: reason phrase, and headers if middleware had set one. */
export function clearHead(res: UnsentResponse): void {
  for (const name of DESCRIBING) res.removeHeader?.(name);
  // HTTP/2 has no reason phrase, and Node warns of code that sets one.
  if (http2Stream(res) === undefined) res.statusMessage = undefined;
}

const reasonOf = (status: number): string => http.STATUS_CODES[status] ?? 'unknown';

/** Returns the end of a head that begins with the lines of this module; `undefined` for any other head. */
function endOf(header: unknown, own: string): string | undefined {
  return typeof header === 'string' && header.startsWith(`${own}Date: `) ? header.slice(own.length) : undefined;
}

/** Whether a head depends only on the handler's headers, the time and the settings of the server. */
function isComposable(res: UnsentResponse): boolean {
  return (
    res._header === null &&
    (res.writeHead as unknown) === http.ServerResponse.prototype.writeHead &&
    res.shouldKeepAlive === true &&
    res.sendDate === true &&
    res.statusMessage === undefined &&
    res._expect_continue === false &&
    res._removedConnection === false &&
    res.maxRequestsOnConnectionReached === false &&
    res.getHeaderNames?.().length === 0
  );
}

/** The returned function creates the status line and headers; it returns `undefined` if Node has to check them. */
function createHeaderLines(): (head: Head, length: number) => string | undefined {
  const lines = new Map<string, { value: string; line: string }>();

  const lineOf = (name: string, value: string): string | undefined => {
    const known = lines.get(name);
    if (known?.value === value) return known.line;
    if (!VALUE.test(value)) return undefined;
    const line = `${name}: ${value}\r\n`;
    if (known !== undefined) {
      known.value = value;
      known.line = line;
      return line;
    }
    if (lines.size >= MAX_NAMES || !TOKEN.test(name) || LEFT_TO_NODE.has(name)) return undefined;
    lines.set(name, { value, line });
    return line;
  };

  return ({ status, headers }, length) => {
    if (isBodiless(status)) return undefined;
    let text = `HTTP/1.1 ${status} ${reasonOf(status)}\r\n`;
    for (const name of Object.keys(headers)) {
      const value = headers[name];
      const line = typeof value === 'string' ? lineOf(name, value) : undefined;
      if (line === undefined) return undefined;
      text += line;
    }
    return `${text}content-length: ${length}\r\n`;
  };
}

function writeHead(res: NodeOutgoing, { status, headers: given }: Head, length: number | undefined): void {
  const headers: Record<string, string | number | string[]> = {};
  // In lower case: the service may have written `Content-Length`, and Node would send it beside ours.
  for (const name of Object.keys(given)) headers[name.toLowerCase()] = given[name] as string | string[];
  if (isBodiless(status)) delete headers['content-length'];
  else if (length !== undefined) headers['content-length'] = length;
  const stream = http2Stream(res);
  if (stream !== undefined) {
    for (const name of HOP_BY_HOP) delete headers[name];
    if (length !== undefined && !Object.hasOwn(stream, 'respond')) stream.respond = respondWithoutTrailers;
  }
  // Joined, because it would otherwise replace values that middleware has set, such as the `Origin` of CORS.
  if ('vary' in headers) headers['vary'] = [res.getHeader?.('vary') ?? [], headers['vary']].flat().join(', ');
  res.writeHead(status, headers);
}

/**
 * The `respond` of a stream whose last DATA frame ends it. The compatibility API of Node announces trailers, and ends
 * every stream with an empty frame, for which HAProxy holds back the end of a response with a Content-Length for 200 ms.
 */
function respondWithoutTrailers(this: Http2StreamLike, headers: unknown, options: object): void {
  const { respond } = Object.getPrototypeOf(this) as Http2StreamLike;
  respond?.call(this, headers, { ...options, waitForTrailers: false });
}
