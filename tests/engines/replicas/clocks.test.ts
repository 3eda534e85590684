import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPostgres } from '../postgres/installed.js';
import { startDatabase, type Database } from '../support/databases.js';
import { eventsPath, newEvent, type Stored } from '../support/event-api.js';
import { createHttpClient, isLost, type HttpResponse, type Ask } from '../support/http-client.js';
import { createServer, type Server } from '../support/standalone.js';
import { until } from '../support/waiting.js';

const YEAR_MS = 31_536_000_000;
const HOURS_2_MS = 7_200_000;

describeWithPostgres('servers over one database, one with a clock that is wrong', () => {
  const http = createHttpClient();
  const servers: Server[] = [];
  let database: Database;
  const start = async (name: string, clockAheadMs = 0): Promise<Server> => {
    const server = await createServer({ name, store: database.store, clockAheadMs });
    servers.push(server);
    await server.start();
    return server;
  };
  const ask = async (server: Server, what: Ask): Promise<HttpResponse> => {
    const response = await http.ask(server, what);
    if (isLost(response)) throw new Error(response.reason);
    return response;
  };
  const create = async (
    server: Server,
    name: string,
  ): Promise<Stored & { metadata: { creationTimestamp: string } }> => {
    const body = newEvent('clocks', name, name);
    const response = await ask(server, { method: 'POST', path: eventsPath('clocks'), body });
    expect(response.status).toBe(201);
    return JSON.parse(response.text) as Stored & { metadata: { creationTimestamp: string } };
  };
  const names = async (server: Server): Promise<string[]> => {
    const { items } = JSON.parse((await ask(server, { path: eventsPath('clocks') })).text) as { items: Stored[] };
    return items.map(({ metadata }) => metadata.name).sort();
  };

  beforeAll(async () => {
    database = await startDatabase('postgres');
  });
  afterAll(async () => {
    http.close();
    for (const server of servers) await server.remove();
    await database.remove();
  });

  it.each([
    ['a year ahead', YEAR_MS],
    ['two hours slow', -HOURS_2_MS],
  ])('with %s a replica is not ready, its events get the right time, and nothing expires early', async (name, byMs) => {
    const good = await start(`right beside ${name}`);
    const before = `before-${Math.abs(byMs)}`;
    await create(good, before);
    const wrong = await start(name, byMs);
    await until('it says that it is not ready', async () => {
      const { status, text } = await ask(wrong, { path: '/readyz?verbose' });
      return status === 500 && text.includes('[-]postgres failed');
    });
    expect((await ask(wrong, { path: '/livez' })).status).toBe(200);
    expect((await ask(good, { path: '/readyz' })).status).toBe(200);
    const after = `after-${Math.abs(byMs)}`;
    const { metadata } = await create(wrong, after);
    expect(Math.abs(Date.parse(metadata.creationTimestamp) - Date.now())).toBeLessThan(30_000);
    // By then both have run their expiry loop three times.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await names(good)).toEqual(expect.arrayContaining([after, before]));
    await good.remove();
    await wrong.remove();
  });
});
