import { expect, it } from 'vitest';
import { resultLine, runRound, type RoundOptions, type RunningLoad } from '../support/round.js';
import { print, readSettings, testTimeoutMs } from '../support/settings.js';
import type { Server } from '../support/standalone.js';

/** A fault that is injected in the middle of the load. */
export interface Fault extends Pick<RoundOptions, 'ballast' | 'mix' | 'thinkMs' | 'writes'> {
  readonly name: string;
  readonly happens: (load: RunningLoad) => Promise<void>;
  /** Undoes the fault, also when the round failed half-way. */
  readonly after?: () => Promise<void>;
}

/** Runs a fault as a test: the configured number of rounds, with one line of output each. */
export function faultTest(engine: string, servers: () => readonly Server[], fault: Fault): void {
  const settings = readSettings();
  const { rounds, seconds, seed } = settings;
  const { name, happens, after, ...load } = fault;
  const round = async (index: number): Promise<void> => {
    const roundSeed = seed + index;
    const result = await runRound({
      ...load,
      servers: servers(),
      namespace: `${name}-${index}`,
      seed: roundSeed,
      loadMs: seconds * 500,
      fault: happens,
    });
    print(resultLine(name, engine, roundSeed, result));
    const logs = servers().map((server) => `${server.name}:\n${server.log().slice(-1500)}`);
    expect(result.wrong, [...result.wrong, ...logs].join('\n')).toEqual([]);
  };
  it(
    name,
    async () => {
      for (let index = 0; index < rounds; index++) {
        try {
          await round(index);
        } finally {
          await after?.();
          for (const server of servers()) if (!server.up) await server.start();
        }
      }
    },
    testTimeoutMs(settings),
  );
}
