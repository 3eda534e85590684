import { type ApiResponse, type ResponseHeaders, textResponse } from '../http/response.js';
import { NOSNIFF, NOT_CACHED } from '../responses/fixed-responses.js';
import type { Verdict } from './check-runner.js';
import type { CheckReport, HealthReport } from './contract.js';
import { goQuote } from '../json/go-print.js';

const ROOT_HEADERS: ResponseHeaders = Object.freeze({
  'content-type': 'text/plain; charset=utf-8',
  ...NOSNIFF,
  ...NOT_CACHED,
});

const JSON_HEADERS: ResponseHeaders = Object.freeze({ ...ROOT_HEADERS, 'content-type': 'application/json' });

export const ROOT_OK: ApiResponse = Object.freeze({ status: 200, headers: ROOT_HEADERS, body: 'ok' });

/** The passing response of a single check; Kubernetes sends no `nosniff` here. */
const CHECK_OK: ApiResponse = Object.freeze({
  status: 200,
  headers: Object.freeze({ 'content-type': 'text/plain; charset=utf-8', ...NOT_CACHED }),
  body: 'ok',
});

const WITHHELD = 'reason withheld';

/** The text response of a root. Failures are always verbose, and reasons are never shown. */
export function rootText(report: HealthReport, verbose: boolean, ownVerdictLine: boolean): ApiResponse {
  const failed = report.status === 'failed';
  if (!failed && !verbose) return ROOT_OK;
  let text = '';
  for (const check of report.checks) text += `${line(check)}\n`;
  if (report.unmatchedExcludes.length > 0) {
    const names = report.unmatchedExcludes.map(goQuote).join(',');
    text += `warn: some health checks cannot be excluded: no matches for ${names}\n`;
  }
  text += failed ? `${report.root} check failed\n` : `${ownVerdictLine ? report.root : 'healthz'} check passed\n`;
  return { status: failed ? 500 : 200, headers: ROOT_HEADERS, body: text };
}

function line({ name, status, excludedBy }: CheckReport): string {
  switch (status) {
    case 'ok':
      return `[+]${name} ok`;
    case 'degraded':
      return `[+]${name} ok (degraded: ${WITHHELD})`;
    case 'excluded':
      return excludedBy === undefined ? `[+]${name} excluded: ok` : `[+]${name} excluded with ${excludedBy}: ok`;
    case 'failed':
      return `[-]${name} failed: ${WITHHELD}`;
  }
}

export function rootJson(report: HealthReport): ApiResponse {
  // `JSON.stringify` omits undefined members.
  const checks = report.checks.map((check) => ({ ...check, reason: undefined }));
  return {
    status: report.status === 'failed' ? 500 : 200,
    headers: JSON_HEADERS,
    body: `${JSON.stringify({ ...report, checks })}\n`,
  };
}

/** The response of a single check; a degraded one begins with the line `ok`. */
export function checkText(verdict: Verdict, showReason: boolean): ApiResponse {
  if (verdict.status === 'ok') return CHECK_OK;
  const reason = showReason ? (verdict.reason ?? '') : WITHHELD;
  return verdict.status === 'failed'
    ? textResponse(500, `internal server error: ${reason}`, NOT_CACHED)
    : { ...CHECK_OK, body: `ok\ndegraded: ${reason}\n` };
}
