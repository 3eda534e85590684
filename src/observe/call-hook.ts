/**
 * Calls a hook of the service and ignores what it throws or rejects with: it must not fail a request or a probe, and an
 * unhandled rejection would end the process. For a hook that is async, although its type says otherwise, it returns a
 * promise that never rejects and resolves when the hook has ended.
 */
export function callHook(call: () => unknown): Promise<unknown> | undefined {
  try {
    const pending = call();
    return pending === undefined ? undefined : Promise.resolve(pending).catch(() => undefined);
  } catch {
    return undefined;
  }
}
