import { onAbort } from '../../clock/abortable.js';
import type { ApiRequest, BodyCall, PeerCertificate, RequestHeaders } from '../../http/request.js';
import { bodyAborted } from '../../http/body.js';
import type { AbortCode } from '../../model/abort-code.js';
import { ABORT_REASONS, type AbortReason } from '../exchange/abort-reason.js';
import { BodyReading } from '../exchange/body-reading.js';
import { readFetchBody } from './body-reader.js';
import { turnEnd } from './turn-end.js';

/** Data of the server about a request that its `Request` does not contain. */
export interface FetchInfo {
  /** The address of the client's socket, without port. */
  readonly remoteAddress?: string | undefined;
  /**
   * Whether other routes are tried if the handler returns `undefined`. False, for a server without other routes, lets
   * the events serve `/api`, `/apis`, `/openapi/v2` and `/openapi/v3` without `discovery: true`. Default: true.
   */
  readonly hasNext?: boolean | undefined;
  /** The object of the framework that `authenticate` gets through `callerFrom`, such as the `c` of Hono. */
  readonly context?: unknown;
  /**
   * Aborted when the connection of the client is closed, for servers that do not always abort the signal of the Request
   * in this case. Default: only the signal of the Request is used.
   */
  readonly connection?: AbortSignal | undefined;
  /** The subject of the client certificate; set it only if TLS has *verified* the certificate. */
  readonly peerCertificate?: PeerCertificate | undefined;
}

/** What the bridge for a framework passes in addition. */
export interface ServerInfo extends FetchInfo {
  /** True if the server cannot send a 304 correctly: `If-None-Match` is then hidden from the handler. */
  readonly hidesIfNoneMatch?: boolean | undefined;
}

/** One fetch request in normalized form, with the state of its response. Expensive parts are created on first use. */
export class FetchExchange implements ApiRequest {
  readonly method: string;
  readonly url: string;
  /** Set if the handler requested a body that something else had read: an error of the service, not of the client. */
  misuse: TypeError | undefined;
  /** True if the response streams: it is finished when its body is. */
  streams = false;
  readonly #request: Request;
  readonly #info: ServerInfo | undefined;
  readonly #maxBodyBytes: number;
  #unfollow: readonly (() => void)[] | undefined;
  #headers: RequestHeaders | undefined;
  #controller: AbortController | undefined;
  #reason: AbortReason | undefined;
  #finished = false;
  #reading: BodyReading | undefined;

  constructor(request: Request, info: ServerInfo | undefined, url: string, maxBodyBytes: number) {
    this.method = request.method;
    this.url = url;
    this.#request = request;
    this.#info = info;
    this.#maxBodyBytes = maxBodyBytes;
  }

  get headers(): RequestHeaders {
    if (this.#headers === undefined) {
      // No prototype, because clients choose the names.
      const headers = Object.create(null) as Record<string, string>;
      this.#request.headers.forEach((value, name) => {
        headers[name] = value;
      });
      if (this.#info?.hidesIfNoneMatch) delete headers['if-none-match'];
      this.#headers = headers;
    }
    return this.#headers;
  }

  get body(): (limit: number, call?: BodyCall) => Promise<Uint8Array> {
    return async (limit, call) => {
      if (this.#request.bodyUsed) {
        this.misuse = new TypeError(
          'the body of this Request has been read already: hand the Request over unread, or a clone made before reading it',
        );
        throw this.misuse;
      }
      const reading = (this.#reading = new BodyReading());
      const bytes = readFetchBody(this.#request, Math.min(limit, this.#maxBodyBytes), reading, call);
      // Most bodies are read within this turn, and need no signals.
      const end = turnEnd();
      if (end === undefined) this.#subscribe(reading);
      else void end.then(() => this.#subscribe(reading));
      return bytes;
    };
  }

  /** The signals are needed, because not every server ends the stream of a request whose client has disconnected. */
  #subscribe(reading: BodyReading): void {
    if (!reading.isPending) return;
    this.follow();
    reading.subscribe();
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.follow();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get remoteAddress(): string | undefined {
    return this.#info?.remoteAddress;
  }

  get peerCertificate(): PeerCertificate | undefined {
    return this.#info?.peerCertificate;
  }

  get framework(): unknown {
    return this.#info?.context;
  }

  get hasNext(): boolean {
    return this.#info?.hasNext ?? true;
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** Aborts the signal, even if it is only read later. Does nothing once the response is finished. */
  abort(code: AbortCode): void {
    if (this.#finished || this.#reason !== undefined) return;
    const reason = ABORT_REASONS[code];
    this.#reason = reason;
    this.#reading?.stop(bodyAborted(reason));
    this.#controller?.abort(reason);
  }

  /** Aborts this request when the signals of the Request or of its connection abort, until the response is finished. */
  follow(): void {
    if (this.#unfollow !== undefined || this.#finished) return;
    const onLeft = (): void => this.abort('client-left');
    this.#unfollow = [this.#request.signal, this.#info?.connection].map((signal) => onAbort(signal, onLeft));
  }

  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#reading?.stop();
    for (const unfollow of this.#unfollow ?? []) unfollow();
  }
}
