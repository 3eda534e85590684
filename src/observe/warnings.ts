import { errorText } from './error-text.js';

/** The part of Node's `process` that is used. Bun, Deno, and Workers with `nodejs_compat` have it as well. */
interface WithWarnings {
  readonly process?: {
    readonly emitWarning?: (text: string, options: { type: string; code: string; detail?: string | undefined }) => void;
  };
}

/** Emits a process warning, if the runtime has warnings. */
export function warn(text: string, code: string, detail?: string): void {
  // Not the global `process`: there is none in browsers and Workers.
  (globalThis as WithWarnings).process?.emitWarning?.(`kube-vitals: ${text}`, {
    type: 'KubeVitalsWarning',
    code,
    detail,
  });
}

/**
 * An observer for services without a hook: the first error of each place becomes a warning of the process. Otherwise a
 * body parser before the listener would be an unexplained 500. `option` is the one that receives all errors.
 */
export function createWarnings(
  option = 'observe',
): (observation: { readonly type: string; readonly error?: unknown; readonly where?: string }) => void {
  const warned = new Set<string>();
  return ({ type, error, where = '' }) => {
    if (type !== 'error' || warned.has(where)) return;
    warned.add(where);
    try {
      const stack = (error as { readonly stack?: string } | null | undefined)?.stack;
      warn(
        `unexpected error in ${where}: ${errorText(error)} (reported once; set the option ${option} to receive every error)`,
        'KUBE_VITALS_ERROR',
        stack,
      );
    } catch {
      // There is nowhere else to report this.
    }
  };
}
