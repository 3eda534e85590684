import { onTestFinished } from 'vitest';
import type { EventChange, RelistedNotice } from '../../../../src/client/watching/changes.js';
import { watchEvents } from '../../../../src/client/watching/watch-events.js';
import type { WatchEventsOptions } from '../../../../src/client/watching/watch-options.js';
import type { Observation } from '../../../../src/observe/observation.js';
import { fakeClock, type FakeClock } from '../../../../src/testing/fake-clock.js';
import { modelServer, type ModelServer } from './model-server.js';

type Given = EventChange | RelistedNotice;

/** A model server and whoever follows it, on a clock that the test moves. */
export interface Bench {
  readonly server: ModelServer;
  readonly clock: FakeClock;
  readonly given: Given[];
  readonly observed: Observation[];
  /** The changes since the last call, as one text each. */
  news(): string[];
  /** Lets everything happen that can happen now. */
  settle(): Promise<void>;
  /** Moves the clock in steps, so that what follows a timer can set its own. */
  pass(ms: number): Promise<void>;
  /** Ends the watch. Rejects with what it threw. */
  stop(): Promise<void>;
  readonly ended: Promise<void>;
}

/** Lets promises settle; the model has no timers of its own. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export const passOn = async (clock: FakeClock, ms: number): Promise<void> => {
  const step = Math.max(250, ms / 200);
  await settle();
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(left, step));
    await settle();
  }
};

/** Begins to watch a model server. */
export async function bench(
  options: Partial<WatchEventsOptions> = {},
  server: ModelServer = modelServer(),
): Promise<Bench> {
  const clock = fakeClock();
  const given: Given[] = [];
  const observed: Observation[] = [];
  const stopping = new AbortController();
  const observe = (observation: Observation): void => void observed.push(observation);
  let seenCount = 0;
  const run = async (): Promise<void> => {
    const changes = watchEvents({ client: server.client, clock, observe, signal: stopping.signal, ...options });
    for await (const change of changes) given.push(change);
  };
  const ended = run();
  ended.catch(() => undefined);
  onTestFinished(() => stopping.abort());
  await settle();
  return {
    ...{ server, clock, given, observed, settle, ended },
    news: () => given.slice(seenCount, (seenCount = given.length)).map(textOf),
    pass: (ms) => passOn(clock, ms),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** `added a@101`, with `?` where an event is all that was remembered, and what it was before. */
export function textOf(change: Given): string {
  if (change.type === 'relisted') return 'relisted';
  const { type, event, previous, missed } = change;
  const before = previous && ` was @${previous.metadata.resourceVersion}`;
  return `${type} ${event.metadata.name}@${event.metadata.resourceVersion}${missed ? ' missed' : ''}${before ?? ''}`;
}
