import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectionError, statusError } from '../../../../src/client/contract/errors.js';
import type { Event } from '../../../../src/model/event.js';
import type { EventChange } from '../../../../src/client/watching/changes.js';
import { bench, type Bench } from './bench.js';
import { expired, modelServer } from './model-server.js';

type Step =
  | { readonly do: 'put' | 'remove'; readonly name: string }
  | { readonly do: 'cut' | 'end' | 'expire' | 'fault' | 'lose' | 'compact' | 'bookmark' | 'down' | 'up' | 'refuse' }
  /** Removes all events at one revision. */
  | { readonly do: 'clear' }
  | { readonly do: 'pass'; readonly ms: number };

const names = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name: names }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name: names }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('cut', 'end', 'expire', 'fault', 'lose', 'compact', 'bookmark', 'down', 'up', 'refuse'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 50, max: 40_000 }) }) },
);

/** What a consumer has that applies every change, and what is wrong with the changes. */
function replica(given: readonly EventChange[]): { readonly state: Map<string, string>; readonly faults: string[] } {
  const state = new Map<string, string>();
  const last = new Map<string, number>();
  const versions = new Set<string>();
  const faults: string[] = [];
  for (const { type, event, missed } of given) {
    const { name = '', uid = '', resourceVersion = '' } = event.metadata;
    const known = state.get(name);
    if (type === 'added' && known !== undefined) faults.push(`${name} was added twice`);
    if (type !== 'added' && known?.startsWith(uid) !== true) faults.push(`${name} was ${type} before it was added`);
    if (type === 'deleted') state.delete(name);
    else state.set(name, `${uid}@${resourceVersion}`);
    if (missed) continue;
    const version = `${type === 'deleted' ? 'deleted ' : ''}${uid}@${resourceVersion}`;
    if (versions.has(version)) faults.push(`${version} was given twice`);
    versions.add(version);
    if (Number(resourceVersion) <= (last.get(name) ?? 0)) faults.push(`${version} came after ${last.get(name)}`);
    last.set(name, Number(resourceVersion));
  }
  return { state, faults };
}

const stateOf = (events: ReadonlyMap<string, Event>): Map<string, string> =>
  new Map([...events].map(([name, { metadata }]) => [name, `${metadata.uid}@${metadata.resourceVersion}`]));

async function take({ server, pass, settle }: Bench, one: Step): Promise<void> {
  switch (one.do) {
    case 'put':
      server.put(one.name);
      break;
    case 'remove':
      server.remove(one.name);
      break;
    case 'clear':
      server.removeTogether(...server.events.keys());
      break;
    case 'cut':
      server.cut();
      break;
    case 'end':
      server.cut('end');
      break;
    case 'expire':
      server.cut(expired());
      break;
    case 'fault':
      server.cut(statusError({ reason: 'InternalError' }, 500));
      break;
    case 'lose':
      server.lose();
      break;
    case 'compact':
      server.compact();
      break;
    case 'bookmark':
      server.bookmark();
      break;
    case 'down':
      server.down = true;
      server.cut();
      break;
    case 'up':
      server.down = false;
      break;
    case 'refuse':
      server.refuse(statusError({ reason: 'TooManyRequests' }, 429, 1_000), connectionError('reset', true), expired());
      break;
    case 'pass':
      await pass(one.ms);
      break;
  }
  await settle();
}

describe('A watch among cut, silent and expired connections', () => {
  it.each([
    ['with WatchList', true, 500],
    ['with lists of small pages', false, 2],
  ])(
    'loses nothing, repeats nothing and keeps the order %s',
    async (_, watchList, pageSize) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
          const server = modelServer();
          server.pageSize = pageSize;
          server.put('a');
          const watching = await bench({ watchList }, server);
          for (const one of steps) await take(watching, one);
          server.down = false;
          // The longest silence, and the pauses after it.
          await watching.pass(400_000);
          const { state, faults } = replica(watching.given as EventChange[]);
          await watching.stop();
          expect(faults).toEqual([]);
          expect(state).toEqual(stateOf(server.events));
        }),
        { numRuns: 30 },
      );
    },
    60_000,
  );

  it('gives every version where the history reaches back', async () => {
    const harmless = step.filter((one) => !['compact', 'expire', 'refuse', 'clear'].includes(one.do));
    await fc.assert(
      fc.asyncProperty(fc.array(harmless, { minLength: 10, maxLength: 40 }), async (steps) => {
        const watching = await bench();
        for (const one of steps) await take(watching, one);
        watching.server.down = false;
        await watching.pass(400_000);
        await watching.stop();
        const revisions = watching.given.map(
          (change) => 'event' in change && Number(change.event.metadata.resourceVersion),
        );
        expect(revisions).toEqual(Array.from({ length: watching.server.revision() - 100 }, (__, index) => 101 + index));
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});
