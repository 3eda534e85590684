import { expect, test } from 'vitest';
import { etcdFailure, failureClassOf } from '../../../../src/store/etcd/failure.js';

test.each([
  [11, 'etcdserver: mvcc: required revision has been compacted', 'compacted'],
  [11, 'etcdserver: mvcc: required revision is a future revision', 'future'],
  [3, 'etcdserver: request is too large', 'too-large'],
  [8, 'grpc: received message larger than max (5000000 vs. 4194304)', 'response-too-large'],
  [8, 'etcdserver: mvcc: database space exceeded', 'no-space'],
  [8, 'etcdserver: too many requests', 'away'],
  [14, 'etcdserver: no leader', 'away'],
  [14, 'etcdserver: leader changed', 'unknown-outcome'],
  [14, 'etcdserver: request timed out, possibly due to previous leader failure', 'unknown-outcome'],
  [4, 'did not respond in time', 'unknown-outcome'],
  [13, 'Received RST_STREAM with code 2', 'unknown-outcome'],
  [16, 'etcdserver: invalid auth token', 'token'],
  [3, 'etcdserver: revision of auth store is old', 'token'],
  [3, 'etcdserver: user name is empty', 'token'],
  [9, 'etcdserver: authentication is not enabled', 'no-auth'],
  [3, 'etcdserver: authentication failed, invalid user ID or password', 'refused'],
  [7, 'etcdserver: permission denied', 'refused'],
])('a response of etcd with %i %s is the failure %s', (code, message, failureClass) => {
  expect(failureClassOf(etcdFailure(code, message, true))).toBe(failureClass);
});

test('a request that never left the process has a certain outcome, and other errors are not retried', () => {
  expect(failureClassOf(etcdFailure(14, 'connect ECONNREFUSED', false))).toBe('away');
  expect(failureClassOf(etcdFailure(4, 'did not respond in time', false))).toBe('away');
  expect(failureClassOf(new TypeError('a mistake'))).toBe('refused');
});
