import type { Event } from '../../model/event.js';
import type { DropReason } from './contract.js';
import type { Telling } from './telling.js';

/** Counts what is dropped, and passes on what there is to report to a {@link Telling} that is loaded when it is first needed. */
export function createReports(load: () => Promise<Telling>) {
  const dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  const untold = new Map<DropReason, Parameters<Telling['drop']>>();
  let loading: Promise<void> | undefined;
  let loaded: Telling | undefined;

  function telling(): Telling | undefined {
    loading ??= load().then(
      (made) => {
        loaded = made;
        for (const drop of untold.values()) made.drop(...drop);
      },
      // Then nothing can be reported.
      () => undefined,
    );
    return loaded;
  }

  return {
    dropped: dropped as Readonly<Record<DropReason, number>>,
    /** Undefined until it is loaded. */
    telling: (): Telling | undefined => telling(),
    /** Counts a drop. */
    drop(reason: DropReason, count: number, error: unknown, event?: Event): void {
      dropped[reason] += count;
      if (telling()) loaded?.drop(reason, count, error, event);
      else untold.set(reason, [reason, dropped[reason], error, event]);
    },
    /** Resolves when everything has been reported. */
    async close(): Promise<void> {
      await loading;
      loaded?.close();
    },
  };
}
