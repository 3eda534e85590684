/**
 * Calls a hook of the service and ignores what it throws or rejects with: it must not fail a request or a probe, and an
 * unhandled rejection would end the process. The promise of an async hook never rejects.
 */
export function callHook(call: () => unknown): Promise<unknown> | undefined {
  try {
    const pending = call();
    return pending === undefined ? undefined : Promise.resolve(pending).catch(() => undefined);
  } catch {
    return undefined;
  }
}
