import { DATA, type Scenario } from '../phases/contract.js';
import type { JsonCalls } from '../protocol.js';
import { ask, eachStore, single } from './ours.js';

const READS = 1_000;
const LISTS = 10;
const WATCHERS = 50;

/** Checks that reads are served from bytes: counts the calls of JSON.parse and JSON.stringify in the server. */
export const jsonCalls: Scenario = {
  id: 'json',
  title: 'JSON.parse and JSON.stringify on read paths, calls an answer or frame',
  run: (bench) =>
    eachStore(bench, 'json', async (spec) => {
      const server = await bench.park.start(spec);
      const counted = async (run: () => Promise<number>): Promise<number> => {
        await ask(server, 'countJson');
        const responses = await run();
        const { parse, stringify } = await ask<JsonCalls>(server, 'jsonCalls');
        return (parse + stringify) / responses;
      };
      const load = (kind: 'get' | 'list', count: number): Promise<number> =>
        counted(async () => {
          const job = { ...DATA, kind, connections: 4, warmupMs: 0, durationMs: 30_000, count };
          return (await bench.client.load(server, job)).allResponses;
        });
      // Creates parse and stringify, too; the share of frames shows in the difference between many watchers and few.
      const watch = (watchers: number): Promise<number> =>
        counted(async () => {
          const job = { namespace: `json-${watchers}`, watchers, stopped: 0, rate: 100, durationMs: 2_000, padding: 0 };
          return (await bench.client.watch(server, job)).frames / watchers;
        });
      try {
        await bench.client.fill(server, DATA);
        const get = await load('get', READS);
        // A list of 10,000 events, in which work for each item is visible.
        const list = (await load('list', LISTS)) / DATA.size;
        const frame = ((await watch(WATCHERS)) - (await watch(1))) / (WATCHERS - 1);
        return [
          single(`json.get.${spec.name}`, get, ''),
          single(`json.list.${spec.name}`, list, ''),
          single(`json.frame.${spec.name}`, Math.max(0, frame), ''),
        ];
      } finally {
        await server.stop();
      }
    }),
};
