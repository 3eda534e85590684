import { expect, test } from 'vitest';
import { corpus } from '../../bench/hostile/corpus.js';
import { BODY_SIZES, COLLECTION, STORED } from '../../bench/hostile/making.js';
import { ordinaryEvent, sendHostile } from '../../bench/hostile/send.js';
import {
  allowAnonymous,
  allowEverybody,
  createEvents,
  createHealth,
  firstOf,
  memoryStore,
  type Observation,
} from '../../src/index.js';

/** A Status has 16 KiB of text, twice: as a message and in its causes. JSON escapes some of it. */
const MAX_BYTES = 65_536;
const MAX_WARNINGS = 8_192;

// `npm run bench -- --only hostile` measures how long each takes. Left out here: requests that need many stored events,
// and all sizes of a YAML text but the largest and the smallest.
const chosen = corpus.filter(({ id, before }) => !before && !/^yaml-.*-(131000|98304|30000|11900)$/.test(id));
const [BODY_BYTES = 0] = BODY_SIZES;
const kinds = [...new Set(chosen.map(({ id }) => id.split('-')[0]))];

test.each(kinds)(
  'the worst requests cause no 5xx, and are refused with short responses: %s',
  async (kind) => {
    const requests = chosen.filter(({ id }) => id.split('-')[0] === kind);
    const unexpected: Observation[] = [];
    const observe = (observation: Observation): void => {
      if (observation.type === 'error') unexpected.push(observation);
    };
    for (const { id, make } of requests) {
      const store = memoryStore();
      const hooks = { authenticate: allowAnonymous(), authorize: allowEverybody() };
      const events = createEvents({ apiDomain: 'example.com', store, ...hooks, observe });
      const handle = firstOf(createHealth(hooks).handle, events.handle);
      const headers = { 'content-type': 'application/json' };
      const body = new TextEncoder().encode(ordinaryEvent(STORED));
      await sendHostile(events.handle, { method: 'POST', url: COLLECTION, headers, body });
      const response = await sendHostile(handle, make(BODY_BYTES));
      expect({ id, unexpected }).toEqual({ id, unexpected: [] });
      if (response.status >= 400) expect({ id, briefly: response.bytes <= MAX_BYTES }).toEqual({ id, briefly: true });
      expect({ id, answered: response.status < 500 }).toEqual({ id, answered: true });
      const warnings = [response.headers['warning'] ?? []].flat().join('').length;
      expect({ id, few: warnings <= MAX_WARNINGS }).toEqual({ id, few: true });
      await events.close();
      await store.close();
    }
  },
  120_000,
);

test('no two requests have the same id', () => {
  expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
});
