import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadDriver, whyUnusable } from '../../../../src/store/sqlite/driver.js';
import { plainOptions, type SqliteStoreOptions } from '../../../../src/store/sqlite/options.js';
import { sqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import { createWorkerHost } from '../../../../src/store/sqlite/worker-host.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

test('every unusable option is named in one TypeError', () => {
  const options = {
    path: '',
    driver: 'sqlite3',
    clock: {},
    historyMs: -1,
    historyMaxBytes: 0.5,
    maxEventBytes: 0,
    maxFileBytes: 1000,
    reserveBytes: -1,
    cacheBytes: -1,
    checkOnOpen: 'yes',
    startAt: -5,
    name: '',
  };
  const error = ((): unknown => {
    try {
      return sqliteStore(options as never);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(TypeError);
  for (const name of Object.keys(options)) expect((error as Error).message).toContain(`${name} must be `);
});

test.each([
  [':memory:', /memoryStore\(\)/],
  ['file:events.db', /a plain path/],
])('the path %s is refused with advice', (path, advice) => {
  expect(() => sqliteStore({ path })).toThrow(advice);
});

test('a missing driver is named, with what to install', async () => {
  const missing = await loadDriver('better-sqlite3').catch((error: unknown) => error as Error);
  if (missing instanceof Error) {
    expect(missing.message).toContain(
      'run "npm install better-sqlite3", or leave `driver` out and run "npm install libsql" (better-sqlite3: not available)',
    );
  }
});

test.each([
  [
    Object.assign(
      new Error("The module '/app/better_sqlite3.node'\nwas compiled against a different Node.js version"),
      {
        code: 'ERR_DLOPEN_FAILED',
      },
    ),
  ],
  [new Error('Could not locate the bindings file. Tried:\n → /app/build/better_sqlite3.node')],
])('a driver that was not built for this Node is named, with how to build it', (error) => {
  expect(whyUnusable('better-sqlite3', error)).toBe(
    'better-sqlite3: not built for this Node and system, run "npm rebuild better-sqlite3"',
  );
});

test('another failure of a driver is given in its first line', () => {
  expect(whyUnusable('libsql', new Error('away\nat once'))).toBe('libsql: away');
});

test('when the thread cannot be started, calls fail with the reason, and a later one tries again', async () => {
  // Beside the source there is no built worker.
  const clock = fakeClock();
  const host = createWorkerHost({ path: '/nowhere/events.db' }, clock);
  const send = (): Promise<unknown> => host.send('read', []).catch((error: unknown) => error);
  const first = await send();
  expect(first).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /\/nowhere\/events\.db .*when the service is bundled, keep kube-vitals external/,
    ) as string,
  });
  expect(await send()).toBe(first);
  clock.advance(101);
  const second = await send();
  expect(second).not.toBe(first);
  expect(second).toMatchObject({ code: 'unavailable' });
  await host.close();
});

test('the thread is given all options but the clock, also those that are getters or inherited', () => {
  class FromConfiguration {
    get path(): string {
      return 'events.db';
    }
  }
  const options = Object.create(new FromConfiguration(), { historyMs: { value: 60_000 } }) as SqliteStoreOptions;
  expect(plainOptions(options)).toMatchObject({ path: resolve('events.db'), historyMs: 60_000 });
  expect(plainOptions({ path: 'a', clock: fakeClock() })).not.toHaveProperty('clock');
});

test('the thread gets an absolute path, because the process may change its working directory', () => {
  expect(plainOptions({ path: 'data/events.db' }).path).toBe(`${process.cwd()}/data/events.db`);
  expect(plainOptions({ path: '/var/lib/shop/events.db' }).path).toBe('/var/lib/shop/events.db');
});
