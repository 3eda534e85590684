import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEventsClient, type RecorderStats } from '../../src/client.js';
import { toNodeListener } from '../../src/node.js';
import { createProxy } from '../engines/support/proxy.js';
import { until } from '../engines/support/waiting.js';
import { local } from './client-support.js';
import { eventsOfTest } from './events-api.js';
import { listen } from './support.js';

const CLIENTS = 8;

/** Starts `recording-service.ts`, whose events go to an address. */
async function startService(address: string) {
  const file = join(import.meta.dirname, 'recording-service.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', file, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => (output += data));
  const exited = once(child, 'close').then(([code]) => {
    const [, stats = ''] = output.trim().split('\n');
    return { code: code as number | null, stats: JSON.parse(stats) as RecorderStats };
  });
  await until('the service listens', () => output.includes('\n'));
  return { child, port: Number(output.split('\n')[0]), exited };
}

test('a service that is ended under load has written every event that it recorded', async () => {
  const api = eventsOfTest();
  const { port: target } = await listen(toNodeListener(api.events.handle));
  const proxy = await createProxy(target);
  onTestFinished(() => proxy.close());
  const { child, port, exited } = await startService(local(proxy.port));

  const answered = new Map<string, number>();
  let ended = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let count = 0; !ended; count++) {
      // Every third event is unique; the rest make series.
      const path = `/${count % 3 === 0 ? `order-${count}` : 'again'}/o-${client}`;
      const isPlaced = await fetch(local(port, path)).then(
        (response) => response.ok,
        () => false,
      );
      if (!isPlaced) return;
      answered.set(path, (answered.get(path) ?? 0) + 1);
    }
  });
  const total = (): number => [...answered.values()].reduce((sum, count) => sum + count, 0);
  await until('the service is busy', () => total() > 100);
  // The network is slow, so that many events are pending; and it breaks during the shutdown.
  proxy.delay(30);
  await until('it has been busy since', () => total() > 400);
  child.kill('SIGTERM');
  setTimeout(() => proxy.cut(), 100);
  setTimeout(() => proxy.heal(), 200);
  const { code, stats } = await exited;
  ended = true;
  await Promise.all(clients);

  expect(code).toBe(0);
  expect(stats).toMatchObject({ written: stats.recorded, pending: 0 });
  const stored = new Map<string, number>();
  for await (const event of createEventsClient({ events: api.events, namespace: 'default' }).list()) {
    const path = `/${event.note}/${event.regarding?.name}`;
    stored.set(path, (stored.get(path) ?? 0) + (event.series?.count ?? 1));
  }
  const sum = [...stored.values()].reduce((all, count) => all + count, 0);
  expect(sum).toBe(stats.recorded);
  // Requests whose response was lost may have been recorded; those with a response were.
  for (const [path, count] of answered) expect(stored.get(path) ?? 0).toBeGreaterThanOrEqual(count);
  expect(sum - total()).toBeLessThanOrEqual(CLIENTS);
});
