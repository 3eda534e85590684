/** The URL in a text; `undefined` if it is not one of HTTP or HTTPS. */
export function httpUrl(text: unknown): URL | undefined {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}
