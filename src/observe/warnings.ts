import { errorText } from './error-text.js';

/** What is used of Node's `process`, which Bun and Deno have as well, and Workers with `nodejs_compat`. */
interface WithWarnings {
  readonly process?: {
    readonly emitWarning?: (text: string, options: { type: string; code: string; detail?: string }) => void;
  };
}

/**
 * What errors are told to where a service gave no hook: the first one of each place becomes a warning of the process. Without
 * it, a mistake in wiring (a body parser before the listener) would be a 500 that nobody can explain.
 *
 * @param option the option that would hear of all errors
 */
export function createWarnings(
  option = 'observe',
): (observation: { readonly type: string; readonly error?: unknown; readonly where?: string }) => void {
  const warned = new Set<string>();
  return ({ type, error, where = '' }) => {
    if (type !== 'error' || warned.has(where)) return;
    warned.add(where);
    try {
      const stack = typeof error === 'object' && error !== null && 'stack' in error ? error.stack : undefined;
      // Not the global `process`: there is none in browsers and Workers.
      (globalThis as WithWarnings).process?.emitWarning?.(
        `kube-vitals: unexpected error in ${where}: ${errorText(error)} (told once; give the option ${option} to hear of all)`,
        { type: 'KubeVitalsWarning', code: 'KUBE_VITALS_ERROR', ...(typeof stack === 'string' && { detail: stack }) },
      );
    } catch {
      // Nobody else to tell.
    }
  };
}
