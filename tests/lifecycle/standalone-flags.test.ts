import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startStandalone, type Standalone } from '../clients/standalone.js';

const PROCESS_MS = 90_000;

interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

async function start(...flags: readonly string[]): Promise<Standalone> {
  const server = await startStandalone('--store=memory', ...flags);
  onTestFinished(async () => void (await server.stop()));
  return server;
}

/** A server whose start never completes, because a directory is in the place of its kubeconfig. */
async function startIncomplete(...flags: readonly string[]): Promise<Standalone> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-vitals-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await mkdir(join(dataDir, 'kubeconfig', 'occupied'), { recursive: true });
  return start('--data-dir', dataDir, ...flags);
}

async function ask({ insecureUrl }: Standalone, path: string): Promise<HttpResponse> {
  const response = await fetch(`${insecureUrl}${path}`);
  return { status: response.status, text: await response.text() };
}

const HOOK_FAILED = '[-]poststarthook/write-kubeconfig failed: reason withheld\n';

test(
  '--livez-grace-period is how long /livez ignores an incomplete start, and /readyz never does',
  async () => {
    const [patient, strict] = await Promise.all([
      startIncomplete('--livez-grace-period=1h'),
      startIncomplete('--livez-grace-period=1ms'),
    ]);
    const response = await ask(patient, '/livez?verbose');
    expect([response.status, response.text.includes('[+]poststarthook/write-kubeconfig ok\n')]).toEqual([200, true]);
    for (const failed of [await ask(patient, '/readyz'), await ask(strict, '/livez'), await ask(strict, '/readyz')]) {
      expect([failed.status, failed.text.includes(HOOK_FAILED)]).toEqual([500, true]);
    }
  },
  PROCESS_MS,
);

test(
  '--shutdown-delay-duration is how long everything is served after SIGTERM, while /readyz fails and /livez does not',
  async () => {
    const server = await start('--shutdown-delay-duration=4s');
    expect((await ask(server, '/readyz')).status).toBe(200);
    server.signal();
    await expect
      .poll(async () => (await ask(server, '/readyz')).text, { timeout: 3_000 })
      .toContain('[-]shutdown failed');
    expect((await ask(server, '/livez')).status).toBe(200);
    expect((await ask(server, '/version')).status).toBe(200);
    expect(await server.exited).toBe(0);
  },
  PROCESS_MS,
);
