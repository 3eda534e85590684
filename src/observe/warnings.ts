import { errorText } from './error-text.js';

/** What is used of Node's `process`, which Bun and Deno have as well, and Workers with `nodejs_compat`. */
interface WithWarnings {
  readonly process?: {
    readonly emitWarning?: (text: string, options: { type: string; code: string; detail?: string }) => void;
  };
}

/** Warns the process of something that the code of a service should change. Nothing where the runtime has no warnings. */
export function warn(text: string, code: string, detail?: string): void {
  // Not the global `process`: there is none in browsers and Workers.
  (globalThis as WithWarnings).process?.emitWarning?.(`kube-vitals: ${text}`, {
    type: 'KubeVitalsWarning',
    code,
    ...(detail !== undefined && { detail }),
  });
}

/**
 * Reports errors where a service gave no hook: the first one of each place becomes a warning of the process. Without it, a
 * mistake in wiring (a body parser before the listener) would be an unexplained 500.
 *
 * @param option the option that receives all errors
 */
export function createWarnings(
  option = 'observe',
): (observation: { readonly type: string; readonly error?: unknown; readonly where?: string }) => void {
  const warned = new Set<string>();
  return ({ type, error, where = '' }) => {
    if (type !== 'error' || warned.has(where)) return;
    warned.add(where);
    try {
      const stack: unknown = typeof error === 'object' && error !== null && 'stack' in error ? error.stack : undefined;
      warn(
        `unexpected error in ${where}: ${errorText(error)} (told once; give the option ${option} to hear of all)`,
        'KUBE_VITALS_ERROR',
        typeof stack === 'string' ? stack : undefined,
      );
    } catch {
      // There is nowhere else to report this.
    }
  };
}
