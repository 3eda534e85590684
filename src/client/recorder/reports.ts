import type { Event } from '../../model/event.js';
import type { DropReason } from './contract.js';
import type { createActivityReporter } from './activity-reporter.js';

type ActivityReporter = ReturnType<typeof createActivityReporter>;

/** Counts what is dropped, and passes reports on to an activity reporter, loaded when it is first needed. */
export function createReports(...reporter: Parameters<typeof createActivityReporter>) {
  const dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  const pendingDrops = new Map<DropReason, Parameters<ActivityReporter['drop']>>();
  let loading: Promise<void> | undefined;
  let loaded: ActivityReporter | undefined;

  function activity(): ActivityReporter | undefined {
    loading ??= import('./activity-reporter.js').then(
      (module) => {
        loaded = module.createActivityReporter(...reporter);
        for (const drop of pendingDrops.values()) loaded.drop(...drop);
      },
      // If loading fails, nothing can be reported.
      () => undefined,
    );
    return loaded;
  }

  return {
    dropped: dropped as Readonly<Record<DropReason, number>>,
    /** Undefined until it is loaded. */
    activity: (): ActivityReporter | undefined => activity(),
    worked: (): void => loaded?.worked(),
    drop(reason: DropReason, count: number, error: unknown, event?: Event): void {
      dropped[reason] += count;
      if (activity()) loaded?.drop(reason, count, error, event);
      else pendingDrops.set(reason, [reason, dropped[reason], error, event]);
    },
    async close(): Promise<void> {
      await loading;
      await loaded?.close();
    },
  };
}
