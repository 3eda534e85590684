import type { Event } from '../../model/event.js';
import type { DropReason } from './contract.js';
import type { Telling } from './telling.js';

/** Counts what is dropped, and passes on what there is to tell. */
export interface Reports {
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Counts a drop. */
  drop(reason: DropReason, count: number, error: unknown, event?: Event): void;
  /** What tells. It is loaded when it is first asked for; until then there is nothing to tell it of. */
  telling(): Telling | undefined;
  /** Resolves when everything has been told. */
  close(): Promise<void>;
}

/** Makes {@link Reports}. */
export function createReports(load: () => Promise<Telling>): Reports {
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
      // Then there is nobody to tell.
      () => undefined,
    );
    return loaded;
  }

  return {
    dropped,
    telling,
    drop(reason, count, error, event) {
      dropped[reason] += count;
      if (telling()) loaded?.drop(reason, count, error, event);
      else untold.set(reason, [reason, dropped[reason], error, event]);
    },
    async close() {
      await loading;
      loaded?.close();
    },
  };
}
