/**
 * How large V8's heap may become in this process, in bytes: what `--max-old-space-size` says, else V8's own choice by the
 * memory of the machine or container. `undefined` where it is not known.
 */
export async function heapLimit(): Promise<number | undefined> {
  try {
    const { getHeapStatistics } = await import('node:v8');
    const { heap_size_limit: limit } = getHeapStatistics();
    return limit > 0 ? limit : undefined;
  } catch {
    return undefined;
  }
}
