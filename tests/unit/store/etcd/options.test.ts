import { describe, expect, test } from 'vitest';
import { etcdStore } from '../../../../src/store/etcd/etcd-store.js';
import { etcdSettings, type EtcdStoreOptions } from '../../../../src/store/etcd/options.js';

const endpoints = ['http://127.0.0.1:1'];

test('every option has its documented default', () => {
  const { clock, ...rest } = etcdSettings({ endpoints });
  expect(typeof clock.now()).toBe('number');
  expect(rest).toEqual({
    endpoints,
    prefix: '/kube-vitals/events',
    transport: 'grpc',
    tls: undefined,
    login: undefined,
    requestTimeoutMs: 1000,
    operationTimeoutMs: 4500,
    progressMs: 30_000,
    compactHistory: false,
    historyMs: 600_000,
    historyMaxBytes: 268_435_456,
    timeEndpoints: endpoints,
    maxEventBytes: 1_048_576,
    name: 'etcd',
  });
});

describe('an unusable option is a TypeError that names it', () => {
  const cases: readonly (readonly [string, object])[] = [
    ['endpoints', { endpoints: [] }],
    ['endpoints', { endpoints: 'http://127.0.0.1:1' }],
    ['endpoints', { endpoints: ['127.0.0.1:2379'] }],
    ['endpoints', { endpoints: ['http://127.0.0.1:1/path'] }],
    ['endpoints', { endpoints: ['http://user:word@127.0.0.1:1'] }],
    ['endpoints', { endpoints: ['http://a:1', 'https://b:1'] }],
    ['timeEndpoints', { timeEndpoints: ['http://127.0.0.1:1/version'] }],
    ['timeEndpoints', { timeEndpoints: 'http://127.0.0.1:1' }],
    ['historyMaxBytes', { historyMaxBytes: 0 }],
    ['prefix', { prefix: 'no-slash' }],
    ['prefix', { prefix: '/ends/' }],
    ['prefix', { prefix: '/' }],
    ['transport', { transport: 'udp' }],
    ['tls', { tls: {} }],
    ['tls', { endpoints: ['https://a'], tls: { cert: 'x' } }],
    ['username', { username: 'u' }],
    ['requestTimeoutMs', { requestTimeoutMs: 0 }],
    ['operationTimeoutMs', { operationTimeoutMs: Number.NaN }],
    ['progressMs', { progressMs: 10 }],
    ['compactHistory', { compactHistory: 1 }],
    ['historyMs', { historyMs: -1 }],
    ['maxEventBytes', { maxEventBytes: 1 }],
    ['name', { name: '' }],
  ];
  test.each(cases)('for the option %s: %j', (key, options) => {
    const make = (): unknown => etcdStore({ endpoints, ...options } as EtcdStoreOptions);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`^etcdStore: ${key}\\b`));
  });

  test('together with all other faults', () => {
    const make = (): unknown => etcdStore({ endpoints: [], prefix: '', name: '' });
    expect(make).toThrow(/endpoints must .*; prefix must .*; name must /);
  });
});
