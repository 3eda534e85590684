import process from 'node:process';

// Not imported, for the reason given in node-http.ts. Bun has no tick objects, and prints a warning if one is
// requested.
const hooks: typeof import('node:async_hooks') | undefined =
  /* @__PURE__ */ process.versions['bun'] === undefined
    ? /* @__PURE__ */ process.getBuiltinModule('node:async_hooks')
    : undefined;

/** The object that {@link retainTickObject} retains, from the next tick on. */
export interface RetainedTick {
  tick?: object;
}

/**
 * Retains one of the objects that `process.nextTick` creates. V8 discards the hidden class of objects if none of them
 * is left at a garbage collection, and the optimized code of `process.nextTick` then takes the slow path for the rest
 * of the process. Node calls it several times a request: GET /livez takes 13 µs of CPU with such an object in memory,
 * and 17 µs after a collection without one (Node 20, decision 82). Keep a reference to the result for as long as
 * requests are served.
 */
export function retainTickObject(): RetainedTick {
  const retained: RetainedTick = {};
  process.nextTick(() => {
    const tick = hooks?.executionAsyncResource();
    if (tick !== undefined) retained.tick = tick;
  });
  return retained;
}
