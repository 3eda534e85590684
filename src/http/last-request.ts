import type { ApiRequest } from './request.js';

/** The request for handlers behind which there is nobody, because their caller answers everything they do not. */
export function asLast(request: ApiRequest): ApiRequest {
  return request.hasNext === true ? new LastRequest(request) : request;
}

/** Getters, because those of a bridge make what they give. */
class LastRequest implements ApiRequest {
  readonly hasNext = false;
  readonly #request: ApiRequest;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  get headers(): ApiRequest['headers'] {
    return this.#request.headers;
  }

  get body(): ApiRequest['body'] {
    return this.#request.body?.bind(this.#request);
  }

  get signal(): AbortSignal | undefined {
    return this.#request.signal;
  }

  get aborted(): boolean | undefined {
    return this.#request.aborted;
  }

  get remoteAddress(): string | undefined {
    return this.#request.remoteAddress;
  }

  get framework(): unknown {
    return this.#request.framework;
  }

  get peerCertificate(): ApiRequest['peerCertificate'] {
    return this.#request.peerCertificate;
  }
}
