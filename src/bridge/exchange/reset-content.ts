/**
 * The status of an answer that never has content, but has a Content-Length of 0, unlike 204 and 304 (RFC 9110,
 * 15.3.6).
 */
export const RESET_CONTENT = 205;
