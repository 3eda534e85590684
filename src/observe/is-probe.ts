/** What is read of a request: Node's, Express', Fastify's, Hono's or fetch's. */
export interface ProbeRequest {
  /** The path with the query, or a whole URL. */
  readonly url?: string | undefined;
  /** As the client sent it, where Express has taken off the path of a mount. It comes first. */
  readonly originalUrl?: string | undefined;
}

const PROBE = /^(?:[A-Za-z][A-Za-z\d+.-]*:\/\/[^/?#]*)?\/(?:healthz|livez|readyz|metrics)(?:[/?#]|$)/;

/**
 * Whether a request is for `/healthz`, `/livez`, `/readyz` or `/metrics`, or below them: for access logs and traces that should
 * not be full of probes. Methods and answers do not matter. Use it directly for `autoLogging.ignore` of pino-http, `skip` of
 * morgan and `ignoreIncomingRequestHook` of OpenTelemetry's instrumentation of HTTP. `false` for anything that is no request.
 *
 * @param request - of which nothing but the path is read
 */
export function isProbe({ originalUrl, url }: ProbeRequest): boolean {
  const target: unknown = originalUrl ?? url;
  return typeof target === 'string' && PROBE.test(target);
}
