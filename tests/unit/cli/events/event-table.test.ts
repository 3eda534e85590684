import { describe, expect, it } from 'vitest';
import { createEventTable } from '../../../../src/cli/events/event-table.js';
import type { Event } from '../../../../src/client.js';

/** All parts of the text. */
const tableOf = (...format: Parameters<typeof createEventTable>) => {
  const table = createEventTable(...format);
  return (events: readonly Event[]): string => [...table(events)].join('');
};

const withNote = (note: string): Event => ({
  eventTime: '2026-01-01T00:00:00.000000Z',
  metadata: { name: 'a', namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' },
  note,
});

describe('the table of events', () => {
  const message = 'x'.repeat(100_000);
  const events = [withNote(message), ...Array.from({ length: 1_000 }, () => withNote('short'))];

  it.each([true, false])('is not as wide in each line as the longest message, with wide: %s', (wide) => {
    const table = tableOf({ withNamespace: false, wide, colour: false });
    const text = table(events) + table([withNote('later')]);
    expect(text.split('\n')).toHaveLength(1_004);
    expect(text).toContain(message);
    expect(text.length).toBeLessThan(300_000);
  });

  it('comes in parts, because together they may be longer than a string can be', () => {
    const many = Array.from({ length: 2_500 }, (_, at) => withNote(`note ${at}`));
    const parts = [...createEventTable({ withNamespace: false, wide: false, colour: false })(many)];
    const lines = parts.join('').trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {3,}/).at(-1))).toEqual(['MESSAGE', ...many.map(({ note }) => note)]);
    expect(parts).toHaveLength(4);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(parts.join('').length / 2);
  });

  it('aligns columns whose cells have usual lengths', () => {
    const table = tableOf({ withNamespace: false, wide: true, colour: false });
    const [head = '', ...rows] = table([withNote('y'.repeat(1_000)), withNote('short')])
      .trimEnd()
      .split('\n');
    const at = head.indexOf('FIRST SEEN');
    expect(at).toBeGreaterThan(1_000);
    for (const row of rows) expect(row.slice(at - 3, at + 1)).toMatch(/^ {3}\S$/);
  });
});
