import { expect, test } from 'vitest';
import { MAX_STATUS_LENGTH } from '../../../../src/api/status/status-failure.js';
import { alreadyExists, badRequest, conflict, invalid, notFound } from '../../../../src/api/status/failures.js';
import { invalidValue } from '../../../../src/api/status/field-error.js';

test('a long message is truncated', () => {
  const { status } = badRequest('x'.repeat(100_000));
  expect(status.message).toBe(`${'x'.repeat(MAX_STATUS_LENGTH)}...`);
});

test('causes are listed as far as they fit, and the message names the same ones', () => {
  const errors = Array.from({ length: 1000 }, (_, index) =>
    invalidValue(`metadata.labels`, `${index}`, 'x'.repeat(100)),
  );
  const { status } = invalid('Event', 'a', errors);
  const causes = status.details?.causes ?? [];
  expect(causes.length).toBeGreaterThan(50);
  expect(causes.reduce((sum, { message = '', field = '' }) => sum + message.length + field.length, 0)).toBeLessThan(
    MAX_STATUS_LENGTH,
  );
  expect(JSON.stringify(status).length).toBeLessThan(3 * MAX_STATUS_LENGTH);
});

test('a single cause is listed however long it is, with its value shortened', () => {
  const { status } = invalid('Event', 'n'.repeat(1000), [
    invalidValue('metadata.name', 'n'.repeat(100_000), 'too long'),
  ]);
  expect(status.details?.causes?.[0]?.message).toBe(`Invalid value: "${'n'.repeat(4096)}...": too long`);
  expect(status.details?.name).toBe(`${'n'.repeat(256)}...`);
  expect(status.message).toContain(`Event "${'n'.repeat(256)}..." is invalid: `);
});

test('names are quoted as in Go, and shortened', () => {
  const events = { group: 'events.example.com', resource: 'events' };
  const name = 'a"b\\c\u001b[2J';
  const quoted = String.raw`"a\"b\\c\x1b[2J"`;
  for (const { status } of [
    notFound(events, name),
    alreadyExists(events, name),
    conflict(events, name, 'why'),
    invalid('Event', name, [invalidValue('metadata.name', name, 'bad')]),
  ]) {
    expect(status.message).toContain(` ${quoted}`);
    expect(status.details?.name).toBe(name);
  }
  expect(notFound(events, 'x'.repeat(1000)).status.message).toBe(
    `events.events.example.com "${'x'.repeat(256)}..." not found`,
  );
});
