import type { HubEntry } from '../../store/watch/hub-entry.js';

/** What a batch of changes is for one kind of watcher. */
export interface BatchFrames {
  /** All frames, joined into few chunks; none when the batch is none of its business. */
  readonly chunks: readonly Uint8Array[];
  /** The representation cannot go on after these. */
  readonly last: boolean;
}

/** What equal watchers are sent, made once for all of them. */
export interface SharedFrames {
  /**
   * The frames of a batch. `key` names the kind of watcher: equal keys mean equal bytes for the same batch, because
   * version, representation, namespace and selector are the same. Without one nothing is shared.
   */
  of(batch: readonly HubEntry[], key: string | undefined, make: () => BatchFrames): BatchFrames;
  /** The same key for all who have an equal one: then a glance tells that it is equal. */
  kind(key: string): string;
}

/** How many keys are remembered at most. */
const KINDS = 1024;

/**
 * Watchers that keep up are given the same batch by the hub, in groups. So selectors are evaluated and frames are joined
 * once for each kind of watcher and batch, and all of a group write the same chunk. It is kept as long as the batch
 * itself.
 */
export function createSharedFrames(): SharedFrames {
  const made = new WeakMap<readonly HubEntry[], Map<string, BatchFrames>>();
  const known = new Map<string, string>();
  /** What was asked for last: mostly the next one asks the same. */
  let last: { readonly batch: readonly HubEntry[]; readonly key: string; readonly frames: BatchFrames } | undefined;
  return {
    of(batch, key, make) {
      if (last?.batch === batch && last.key === key) return last.frames;
      if (key === undefined) return make();
      let kinds = made.get(batch);
      if (kinds === undefined) made.set(batch, (kinds = new Map<string, BatchFrames>()));
      let frames = kinds.get(key);
      if (frames === undefined) kinds.set(key, (frames = make()));
      last = { batch, key, frames };
      return frames;
    },
    kind(key) {
      const same = known.get(key);
      if (same !== undefined) return same;
      if (known.size === KINDS) known.clear();
      known.set(key, key);
      return key;
    },
  };
}
