import { describe, expect, test } from 'vitest';
import { notSent } from '../../../../src/store/postgres/client.js';
import { failureOf } from '../../../../src/store/postgres/failures.js';
import { storeError } from '../../../../src/store/contract/errors.js';

const server = (code: string): Error => Object.assign(new Error('says the server'), { code });

describe('a failed request', () => {
  test.each([
    ['25006', 'unavailable', /standby, or default_transaction_read_only/],
    ['53100', 'unavailable', /disk/],
    ['53300', 'unavailable', /no free connection/],
    ['57P03', 'unavailable', /starting up/],
    ['40001', 'unavailable', /read committed/],
    ['40P01', 'unavailable', /says the server/],
    ['55P03', 'unavailable', /counter/],
    ['57014', 'unavailable', /cancelled/],
    ['42501', 'unavailable', /GRANT USAGE ON SCHEMA "s"/],
    ['3F000', 'unavailable', /schema no longer exists/],
    ['XX000', 'unavailable', /says the server/],
    ['08001', 'unavailable', /says the server/],
    ['57P01', 'unknown-outcome', /says the server/],
    ['57P02', 'unknown-outcome', /says the server/],
    ['08006', 'unknown-outcome', /says the server/],
    ['08P01', 'unknown-outcome', /says the server/],
    ['40003', 'unknown-outcome', /says the server/],
    ['ECONNRESET', 'unknown-outcome', /says the server/],
    ['EPIPE', 'unknown-outcome', /says the server/],
    ['ECONNREFUSED', 'unavailable', /says the server/],
    ['ENOTFOUND', 'unavailable', /says the server/],
    ['CONNECTION_CLOSED', 'unknown-outcome', /says the server/],
  ])('with the error %s on a write is %s', (code, expected, message) => {
    const error = failureOf(server(code), 'write', '"s"');
    expect(error).toMatchObject({ name: 'StoreError', code: expected });
    expect(error.message).toMatch(message);
    expect(failureOf(server(code), 'read', '"s"').code).toBe('unavailable');
  });

  test.each(['25006', '42501', '53100', '55P03', '57014'])('with %s says that only writes are refused', (code) => {
    expect(failureOf(server(code), 'write', '"s"').onlyWrites).toBe(true);
    expect(failureOf(server(code), 'read', '"s"').onlyWrites).toBeUndefined();
  });

  test('that may not concern the next write does not say so', () => {
    expect(failureOf(server('53200'), 'write', '"s"').onlyWrites).toBeUndefined();
  });

  test.each(['PANIC', 'PANIK'])(
    'with the severity %s leaves a write unknown, whose commit may be in the log',
    (severity) => {
      const error = failureOf(Object.assign(server('53100'), { severity }), 'write', '"s"');
      expect(error).toMatchObject({ code: 'unknown-outcome', message: expect.stringMatching(/disk/) as string });
      expect(error.onlyWrites).toBeUndefined();
      expect(failureOf(Object.assign(server('53100'), { severity: 'ERROR' }), 'write', '"s"').code).toBe('unavailable');
    },
  );

  test('without a code leaves a write unknown, unless nothing was sent', () => {
    const error = new Error('Connection terminated unexpectedly');
    expect(failureOf(error, 'write', '"s"').code).toBe('unknown-outcome');
    expect(failureOf(notSent(error), 'write', '"s"').code).toBe('unavailable');
    expect(failureOf(notSent(server('08P01')), 'write', '"s"').code).toBe('unavailable');
    expect(failureOf(undefined, 'write', '"s"').code).toBe('unknown-outcome');
  });

  test('with a StoreError is passed on', () => {
    const error = storeError('closed', 'the store is closed');
    expect(failureOf(error, 'write', '"s"')).toBe(error);
  });
});
