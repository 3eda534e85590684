import { errorText, isError } from '../observe/error-text.js';

/** The result of one run of a check. */
export type Outcome =
  | { readonly ok: true }
  /** `critical: false`: degraded, whatever the check says of itself. `error`: what the reason is the text of. */
  | { readonly ok: false; readonly reason: string; readonly critical?: false; readonly error?: unknown };

type Failure = Extract<Outcome, { readonly ok: false }>;

const PASSED: Outcome = /* @__PURE__ */ Object.freeze({ ok: true });

/** Reasons go to logs and operators: very long ones are truncated. */
const LONGEST_REASON = 4_096;

/** A failure with its reason. */
export function failure(reason: string): Failure {
  return { ok: false, reason: reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason };
}

/** A failure with the text of a thrown value or a rejection, and the value itself. */
export function thrown(error: unknown): Failure {
  return { ...failure(errorText(error)), error };
}

/** Reads what a check function returned. */
export function judge(result: unknown): Outcome {
  if (result === undefined || result === true) return PASSED;
  if (result === false) return failure('failed without a reason');
  try {
    if (isError(result)) return thrown(result);
    if (Object.prototype.toString.call(result) === '[object Response]') return judgeResponse(result as FetchResponse);
    if (typeof result === 'object' && result !== null && 'ok' in result) {
      if (result.ok === true) return PASSED;
      if (result.ok === false) {
        const reason: unknown = 'reason' in result ? result.reason : undefined;
        const failed = isError(reason) ? thrown(reason) : failure(errorText(reason));
        return 'critical' in result && result.critical === false ? { ...failed, critical: false } : failed;
      }
    }
  } catch {
    return failure('the check returned something unreadable');
  }
  const kind = result === null ? 'null' : Array.isArray(result) ? 'an array' : `a value of type ${typeof result}`;
  return failure(
    `the check returned ${kind}: return nothing or true to pass; false, an Error, { ok, reason } or a Response to fail`,
  );
}

/** What is read of the answer of `fetch`. */
interface FetchResponse {
  readonly status: number;
  readonly statusText: string;
  readonly body?: { cancel(): Promise<void> } | null;
}

/** As a kubelet's HTTP probe: 200 to 399 pass. The body is cancelled, since an unread one keeps its connection busy. */
function judgeResponse({ status, statusText, body }: FetchResponse): Outcome {
  body?.cancel().catch(() => undefined);
  return status >= 200 && status < 400 ? PASSED : failure(`answered ${status} ${statusText}`.trimEnd());
}
