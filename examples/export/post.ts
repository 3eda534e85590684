/** Options of a request to a receiver. */
export interface PostOptions {
  readonly url: string;
  /** Such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the receiver refuses a batch for good, which is then skipped. Default: writes it to stderr. */
  readonly onRefused?: (status: number, text: string) => void;
}

/** How long a receiver may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Posts a body. A receiver that is unavailable or busy is an error with the pause that it requests, so that the batch
 * is sent again; one that refuses the content (4xx) will always do so, and is only reported.
 */
export async function post(options: PostOptions, contentType: string, body: string): Promise<void> {
  const { url, onRefused = (status, text) => console.error(`${url} refused with ${status}: ${text}`) } = options;
  const headers = { ...options.headers, 'content-type': contentType };
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = (await response.text()).slice(0, 1_000);
  const { status } = response;
  if (status < 300) return;
  if (status >= 400 && status < 500 && ![401, 403, 404, 408, 429].includes(status)) return onRefused(status, text);
  const seconds = Number(response.headers.get('retry-after'));
  throw Object.assign(new Error(`${url} responded with ${status}`), {
    retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
  });
}
