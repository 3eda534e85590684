/**
 * Calls a hook of the service and ignores what it throws or rejects with: a failing hook must not fail a request or a
 * probe, and an unhandled rejection would end the process. A hook may be async although its type says otherwise: the
 * returned promise, which never rejects, then resolves when the hook has ended.
 */
export function callHook(call: () => unknown): Promise<unknown> | undefined {
  try {
    const pending = call();
    return pending === undefined ? undefined : Promise.resolve(pending).catch(() => undefined);
  } catch {
    return undefined;
  }
}
