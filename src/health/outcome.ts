/** The result of one run of a check. */
export type Outcome =
  | { readonly ok: true }
  /** `critical: false`: degraded, whatever the check says of itself. */
  | { readonly ok: false; readonly reason: string; readonly critical?: false };

type Failure = Extract<Outcome, { readonly ok: false }>;

const PASSED: Outcome = Object.freeze({ ok: true });

/** Reasons go to logs and operators: very long ones are truncated. */
const LONGEST_REASON = 4_096;

/** A failure with its reason. */
export function failure(reason: string): Failure {
  return { ok: false, reason: reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason };
}

/** Converts a thrown value or a rejection to text. It may be anything, even an object whose getters throw. */
export function thrown(error: unknown): Failure {
  return failure(reasonOf(error));
}

/** The text of a thrown value. */
export function reasonOf(error: unknown): string {
  try {
    if (typeof error === 'string') return error || 'failed without a reason';
    if (typeof error === 'object' && error !== null && 'message' in error) {
      const { message } = error;
      if (typeof message === 'string' && message !== '') return message;
      const name: unknown = 'name' in error ? error.name : undefined;
      return typeof name === 'string' && name !== '' ? name : 'failed without a reason';
    }
    return error === undefined || error === null ? 'failed without a reason' : String(error);
  } catch {
    return 'failed with something unreadable';
  }
}

/** Reads what a check function returned. */
export function judge(result: unknown): Outcome {
  if (result === undefined || result === true) return PASSED;
  if (result === false) return failure('failed without a reason');
  try {
    if (result instanceof Error || Object.prototype.toString.call(result) === '[object Error]') return thrown(result);
    if (typeof result === 'object' && result !== null && 'ok' in result) {
      if (result.ok === true) return PASSED;
      if (result.ok === false) {
        const reason: unknown = 'reason' in result ? result.reason : undefined;
        const failed = reason === undefined || reason === '' ? failure('failed without a reason') : thrown(reason);
        return 'critical' in result && result.critical === false ? { ...failed, critical: false } : failed;
      }
    }
  } catch {
    return failure('the check returned something unreadable');
  }
  const kind = result === null ? 'null' : Array.isArray(result) ? 'an array' : `a value of type ${typeof result}`;
  return failure(
    `the check returned ${kind}: return nothing or true to pass; false, an Error or { ok, reason } to fail`,
  );
}
