import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createHealth, isStoreError, storeCheck, type EventStore } from 'kube-vitals';
import { sqliteStore } from 'kube-vitals/sqlite';
import { call, fakeClock, sampleEvent } from 'kube-vitals/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { createSmallDisk } from '../support/small-disk.js';

const MINUTE = 60_000_000;
const MIB = 1_048_576;
const NOON = Date.UTC(2026, 0, 2, 12) * 1000;
const disks = ['another program', 'events alone'].map((by) => [by, createSmallDisk(24 * MIB)] as const);
afterAll(() => disks.forEach(([, disk]) => disk?.remove()));

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Polls for half a minute. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: that did not come`);
    await wait(100);
  }
}

describe.each(disks)('a disk that is filled by %s', (by, disk) => {
  test('gets free space through expiry, and reads work meanwhile', { timeout: 120_000 }, async () => {
    if (disk === undefined) return;
    const path = join(disk.path, 'events.db');
    const clock = fakeClock({ now: NOON });
    const open = (): EventStore => sqliteStore({ path, clock });
    let store = open();
    let created = 0;
    const create = (name = `event-${created}`): Promise<unknown> => {
      const event = sampleEvent({ name, note: 'x'.repeat(900) });
      return store
        .create({ namespace: 'shop', name }, event, { expiresAt: clock.now() + MINUTE })
        .then(() => created++);
    };
    const takes = (): Promise<boolean> =>
      create().then(
        () => true,
        () => false,
      );
    for (let i = 0; i < 300; i++) await create();
    const first = { namespace: 'shop', name: 'event-0' };
    const taken = (): void => {
      if (by === 'another program') disk.fill();
    };
    taken();

    let failure: unknown;
    while (failure === undefined)
      await Promise.all(Array.from({ length: 8 }, (_, i) => create(`more-${created}-${i}`))).catch(
        (error: unknown) => void (failure = error),
      );
    expect(failure).toMatchObject({
      code: 'unavailable',
      onlyWrites: true,
      message: expect.stringContaining('no space left to write') as string,
    });
    expect(await store.get(first)).toBeDefined();
    const health = createHealth({ clock });
    health.add(storeCheck(store));
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
    expect((await call(health.handle, 'GET /readyz')).status).toBe(200);
    expect((await health.report('readyz')).checks).toContainEqual(
      expect.objectContaining({
        name: 'sqlite',
        status: 'degraded',
        reason: expect.stringMatching(/^writes are refused, reads still work: .*no space left to write/) as string,
      }),
    );
    await store.remove(first);

    // The store can be opened again although the disk is full.
    await store.close();
    taken();
    store = open();
    await until('the start', async () => (await store.list({ limit: 10_000 })).records.length > 0);
    await store.remove({ namespace: 'shop', name: 'event-1' });
    health.add(storeCheck(store, { name: 'again' }));
    taken();

    clock.advance(120_000);
    await until('the expiry of everything', async () => {
      clock.advance(1000);
      while ((await store.expire({ now: clock.now(), limit: 500 }).catch(() => 0)) > 0) clock.advance(100);
      return (await store.list({ limit: 1 })).records.length === 0;
    });
    if (by === 'another program') expect(disk.free()).toBeLessThan(4 * MIB);
    await until('the first new event', async () => {
      clock.advance(1000);
      return takes();
    });
    // Space is freed once the history of the expired events, short as it is, has passed.
    for (let i = 0; i < 10; i++) {
      clock.advance(1000);
      await wait(30);
    }
    // New events use the freed pages, and the log the space that is reserved for it.
    for (let i = 0; i < 200; i++) await create(`new-${i}`);
    await until('the end of the check', () =>
      store.ping().then(
        () => true,
        () => false,
      ),
    );

    if (by === 'another program') {
      disk.empty();
      await until('the reserve', async () => {
        await store.ping().catch(() => undefined);
        return statSync(`${path}-reserve`).size === 3 * MIB;
      });
    }
    await store.ping();
    expect((await store.list({ limit: 10_000 })).records).toHaveLength(201);
    health.close();
    await store.close();
  });
});

test('errors of a full disk are store errors', async () => {
  const [, disk] = disks[0] ?? [];
  if (disk === undefined) return;
  disk.fill();
  const store = sqliteStore({ path: join(disk.path, 'another', 'events.db') });
  const failure = await store.ping().catch((error: unknown) => error);
  expect(isStoreError(failure)).toBe(true);
  disk.empty();
  await until('a new file, once there is room', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  );
  await store.close();
});
