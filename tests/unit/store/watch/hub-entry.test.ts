import { expect, test } from 'vitest';
import type { Change } from '../../../../src/store/contract/event-store.js';
import { eventSize, type EventRecord } from '../../../../src/store/contract/record.js';
import { createFrameMemory } from '../../../../src/store/watch/frame-memory.js';
import { HubEntry } from '../../../../src/store/watch/hub-entry.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const key = { namespace: 'default', name: 'a' };
const recordOf = (note: string, revision: number): EventRecord => ({
  key,
  revision,
  event: sampleEvent({ name: 'a', note }),
  expiresAt: 0,
});
const first = recordOf('first '.repeat(50), 1);
const second = recordOf('second '.repeat(100), 2);
const created: Change = { type: 'put', key, revision: 1, record: first };
const updated: Change = { type: 'put', key, revision: 2, record: second, previous: first };

test('an entry costs a constant, its event, and the event before it', () => {
  expect(new HubEntry(created).cost()).toBe(256 + eventSize(first.event));
  expect(new HubEntry(updated).cost()).toBe(256 + eventSize(second.event) + eventSize(first.event));
});

test('a frame is encoded once for each representation and type, and every one is counted and reported', () => {
  const grown: [HubEntry, number][] = [];
  const entry = new HubEntry(updated, {
    memory: createFrameMemory(),
    onGrow: (one, bytes) => void grown.push([one, bytes]),
  });
  const before = entry.cost();
  let made = 0;
  const ask = (form: string, type: string): Uint8Array =>
    entry.frame(form, type, () => {
      made++;
      return new TextEncoder().encode(`${form} ${type}`);
    });
  const kinds = [
    ['json', 'ADDED'],
    ['json', 'DELETED'],
    ['table', 'ADDED'],
    ['table', 'DELETED'],
  ] as const;
  const frames = kinds.map(([form, type]) => ask(form, type));
  expect(frames.map((frame) => new TextDecoder().decode(frame))).toEqual(kinds.map((kind) => kind.join(' ')));
  kinds.forEach(([form, type], index) => expect(ask(form, type)).toBe(frames[index]));
  expect(made).toBe(4);
  const costs = frames.map(({ length }) => 128 + length);
  expect(grown).toEqual(costs.map((cost) => [entry, cost]));
  expect(entry.cost() - before).toBe(costs.reduce((sum, cost) => sum + cost));
});

test('an entry outside of a ring returns a frame as it was encoded, and encodes it once', () => {
  const entry = new HubEntry(created);
  const own = new Uint8Array(3);
  expect(entry.frame('json', 'ADDED', () => own)).toBe(own);
  expect(entry.frame('json', 'ADDED', () => new Uint8Array(4))).toBe(own);
});
