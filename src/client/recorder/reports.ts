import type { Event } from '../../model/event.js';
import type { DropReason } from './contract.js';
import type { ActivityReporter } from './activity-reporter.js';

/** Counts what is dropped, and passes reports on to an {@link ActivityReporter}, loaded when it is first needed. */
export function createReports(load: () => Promise<ActivityReporter>) {
  const dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  const pendingDrops = new Map<DropReason, Parameters<ActivityReporter['drop']>>();
  let loading: Promise<void> | undefined;
  let loaded: ActivityReporter | undefined;

  function loadedReporter(): ActivityReporter | undefined {
    loading ??= load().then(
      (made) => {
        loaded = made;
        for (const drop of pendingDrops.values()) made.drop(...drop);
      },
      // The next report tries again.
      () => {
        loading = undefined;
      },
    );
    return loaded;
  }

  return {
    dropped: dropped as Readonly<Record<DropReason, number>>,
    /** Undefined until it is loaded. */
    activity: loadedReporter as () => ActivityReporter | undefined,
    worked: (): void => loaded?.worked(),
    drop(reason: DropReason, count: number, error: unknown, event?: Event): void {
      dropped[reason] += count;
      if (loadedReporter()) loaded?.drop(reason, count, error, event);
      else pendingDrops.set(reason, [reason, dropped[reason], error, event]);
    },
    async close(): Promise<void> {
      await loading;
      await loaded?.close();
    },
  };
}
