/**
 * Calls a hook of the service and ignores its errors, which must not fail a request or end the process. For a hook that
 * is async, although its type says otherwise, it returns a promise that resolves when the hook has ended.
 */
export function callHook(call: () => unknown): Promise<unknown> | undefined {
  try {
    const pending = call();
    return pending === undefined ? undefined : Promise.resolve(pending).catch(() => undefined);
  } catch {
    return undefined;
  }
}
