import { errorText, isError } from '../observe/error-text.js';
import { described } from '../options/check-options.js';

export type Outcome =
  | { readonly ok: true }
  /** `critical: false`: degraded, even if the check is critical. `error`: the value whose text is the reason. */
  | { readonly ok: false; readonly reason: string; readonly critical?: false; readonly error?: unknown };

type Failure = Extract<Outcome, { readonly ok: false }>;

const PASSED: Outcome = /* @__PURE__ */ Object.freeze({ ok: true });

/** Reasons are read by operators and written to logs: very long ones are truncated. */
const MAX_REASON_LENGTH = 4_096;

export function failure(reason: string): Failure {
  return { ok: false, reason: reason.length > MAX_REASON_LENGTH ? `${reason.slice(0, MAX_REASON_LENGTH)}…` : reason };
}

export function thrown(error: unknown): Failure {
  return { ...failure(errorText(error)), error };
}

export function toOutcome(result: unknown): Outcome {
  if (result === undefined || result === true) return PASSED;
  if (result === false) return failure('failed without a reason');
  try {
    if (isError(result)) return thrown(result);
    if (Object.prototype.toString.call(result) === '[object Response]') return fromResponse(result as FetchResponse);
    if (typeof result === 'object' && result !== null && 'ok' in result) {
      if (result.ok === true) return PASSED;
      if (result.ok === false) {
        const { reason, error } = result as { readonly reason?: unknown; readonly error?: unknown };
        const failed = isError(reason) ? thrown(reason) : { ...failure(errorText(reason)), error };
        return 'critical' in result && result.critical === false ? { ...failed, critical: false } : failed;
      }
    }
  } catch {
    return failure('the check returned something unreadable');
  }
  return failure(
    `the check returned ${described(result)}: return nothing or true to pass; false, an Error, { ok, reason } or a Response to fail`,
  );
}

/** The members of a `fetch` response that are read. The body of `node-fetch` is a Node stream. */
interface FetchResponse {
  readonly status: number;
  readonly statusText: string;
  readonly body?: { cancel?(): Promise<void>; resume?(): void } | null;
}

/** As in a kubelet's HTTP probe, 200 to 399 pass. The body is ended: an unread one would keep its connection busy. */
function fromResponse({ status, statusText, body }: FetchResponse): Outcome {
  if (body?.cancel) body.cancel().catch(() => undefined);
  else body?.resume?.();
  return status >= 200 && status < 400 ? PASSED : failure(`answered ${status} ${statusText}`.trimEnd());
}
