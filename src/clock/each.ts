/** Calls `work` for each item, once at a time in each of `lanes`. After a failure, thrown at the end, none begin. */
export async function each<T, Lane>(
  items: readonly T[],
  lanes: readonly Lane[],
  work: (item: T, lane: Lane) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = items.values();
  const run = async (lane: Lane): Promise<void> => {
    for (const item of queue) {
      if (failures.length > 0) return;
      try {
        await work(item, lane);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(lanes.slice(0, items.length).map(run));
  if (failures.length > 0) throw failures[0];
}
