/** The part of a request that is read: that of Node, Express, Fastify, Hono or fetch. */
export interface ProbeRequest {
  /** The path with the query, or a whole URL. */
  readonly url?: string | undefined;
  /**
   * The URL as the client sent it, where Express has removed the path of a mount from `url`. It takes precedence over
   * `url`.
   */
  readonly originalUrl?: string | undefined;
}

const PROBE = /^(?:[A-Za-z][A-Za-z\d+.-]*:\/\/[^/?#]*)?\/(?:healthz|livez|readyz|metrics)(?:[/?#]|$)/;

/**
 * Whether a request is for `/healthz`, `/livez`, `/readyz` or `/metrics`, or below them: for access logs and traces
 * that should not be full of probes. Methods and responses do not matter. Use it directly for `autoLogging.ignore` of
 * pino-http, `skip` of morgan and `ignoreIncomingRequestHook` of OpenTelemetry's instrumentation of HTTP. Returns
 * `false` for a value that is not a request.
 *
 * @param request - of which nothing but the path is read
 */
export function isProbe(request: ProbeRequest): boolean {
  const { originalUrl, url } = (request as ProbeRequest | null | undefined) ?? {};
  const target: unknown = originalUrl ?? url;
  return typeof target === 'string' && PROBE.test(target);
}
