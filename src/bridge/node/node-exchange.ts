import type { AbortCode } from '../../model/abort-code.js';
import { ABORT_REASONS, type AbortReason } from '../exchange/abort-reason.js';
import type { ApiRequest, BodyCall, PeerCertificate, RequestHeaders } from '../../http/request.js';
import { BodyReading } from '../exchange/body-reading.js';
import { peerCertificateOf } from '../exchange/peer-certificate.js';
import type { BodyBatcher } from './body-batcher.js';
import { readIncoming } from './body-reader.js';
import type { DeferredSignals } from './deferred-signals.js';
import { type NodeIncoming, type NodeOutgoing, isGone } from './message.js';

export interface ExchangeSettings {
  readonly maxBodyBytes: number;
  readonly deferredSignals: DeferredSignals;
  readonly bodies: BodyBatcher;
}

/** How a request is routed: what follows the handler, and what the framework calls it. */
export interface RequestRouting {
  /** `hasNext` of the request: see `ApiRequest`. */
  readonly hasNext: boolean;
  /** Called for a path that is not one of the handler's; without it the response is 404. */
  readonly next?: (() => void) | undefined;
  /** Called before anything is written, or if the request is not handled because its client has left; perhaps twice. */
  readonly onResponse?: () => void;
  readonly framework?: unknown;
}

/** One request of Node, with the state of its response. Expensive members are getters: few requests read them. */
export class NodeExchange implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly req: NodeIncoming;
  readonly res: NodeOutgoing;
  readonly #routing: RequestRouting;
  readonly #settings: ExchangeSettings;
  #controller: AbortController | undefined;
  #reason: AbortReason | undefined;
  #finished = false;
  readonly #reading = new BodyReading();

  constructor(req: NodeIncoming, res: NodeOutgoing, url: string, routing: RequestRouting, settings: ExchangeSettings) {
    this.method = req.method ?? 'GET';
    this.url = url;
    this.#routing = routing;
    this.req = req;
    this.res = res;
    this.#settings = settings;
  }

  get hasNext(): boolean {
    return this.#routing.hasNext;
  }

  get framework(): unknown {
    return this.#routing.framework ?? this.req;
  }

  get headers(): RequestHeaders {
    return this.req.headers;
  }

  get body(): (limit: number, call?: BodyCall) => Promise<Uint8Array> {
    return (limit, call) => {
      const { maxBodyBytes, deferredSignals, bodies } = this.#settings;
      const body = readIncoming(this.req, this.res, Math.min(limit, maxBodyBytes), this.#reading, bodies, call);
      if (call !== undefined && this.#reading.isPending) deferredSignals.add(this.#reading);
      return body;
    };
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
      else if (!this.#finished) this.onClientLeft(() => undefined);
    }
    return this.#controller.signal;
  }

  get remoteAddress(): string | undefined {
    return this.req.socket?.remoteAddress;
  }

  get peerCertificate(): PeerCertificate | undefined {
    return peerCertificateOf(this.req.socket);
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get gone(): boolean {
    return isGone(this.req, this.res);
  }

  /** Aborts the signal, even if it is only read later. Does nothing once the response is finished. */
  abort(code: AbortCode): void {
    if (this.#finished || this.#reason !== undefined) return;
    this.#reason = ABORT_REASONS[code];
    this.#controller?.abort(this.#reason);
  }

  /** Reports that the response has been handed to Node completely: from now on a client that disconnects is ignored. */
  finish(): void {
    this.#finished = true;
    this.#reading.stop();
  }

  /** Aborts the signal and calls back if the client disconnects before the response is finished, or already has. */
  onClientLeft(callback: () => void): void {
    const left = (): void => {
      if (this.#finished) return;
      this.abort('client-left');
      callback();
    };
    if (this.gone) left();
    else this.res.once('close', left);
  }
}
