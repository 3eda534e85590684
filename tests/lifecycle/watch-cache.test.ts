import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startStandalone, type Standalone } from '../clients/standalone.js';

const PROCESS_MS = 90_000;
const EVENTS = '/apis/events.example.com/v1/namespaces/shop/events';

const event = (name: string): object => ({
  apiVersion: 'events.example.com/v1',
  kind: 'Event',
  metadata: { name },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
});

interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

type Ask = (method: string, path: string, body?: object) => Promise<HttpResponse>;

async function start(...flags: readonly string[]): Promise<Ask> {
  const server: Standalone = await startStandalone(...flags);
  onTestFinished(async () => void (await server.stop()));
  const token = (await readFile(join(dirname(server.kubeconfigPath), 'admin-token'), 'utf8')).trim();
  return async (method, path, body) => {
    const response = await fetch(`${server.insecureUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
}

describe('--watch-cache', () => {
  test.each([
    ['is on for SQLite', [], true],
    ['set to false is off', ['--watch-cache=false'], false],
    ['has no effect for the memory store', ['--store=memory', '--watch-cache'], false],
  ])(
    '%s, and every read shows the last write either way',
    async (_, flags, cached) => {
      const ask = await start(...flags);
      for (let index = 0; index < 20; index++) {
        const name = `event-${index}`;
        expect((await ask('POST', EVENTS, event(name))).status).toBe(201);
        expect((await ask('GET', `${EVENTS}/${name}`)).status).toBe(200);
        const list = JSON.parse((await ask('GET', `${EVENTS}?limit=500`)).text) as { items: object[] };
        expect(list.items).toHaveLength(index + 1);
        expect((await ask('GET', `${EVENTS}?resourceVersion=0`)).status).toBe(200);
      }
      expect((await ask('DELETE', `${EVENTS}/event-3`)).status).toBe(200);
      expect((await ask('GET', `${EVENTS}/event-3`)).status).toBe(404);
      const metrics = (await ask('GET', '/metrics')).text;
      expect(metrics.includes('\nkube_vitals_watch_cache_ready{store="sqlite"} 1\n')).toBe(cached);
      expect(/\napiserver_watch_cache_initializations_total\{[^}]*\} 1\n/.test(metrics)).toBe(cached);
    },
    PROCESS_MS,
  );
});
