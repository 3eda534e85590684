import { describe, expect, it } from 'vitest';
import { createHealth } from '../../../src/health/create-health.js';
import { runPostStartHooks, type StartupHook } from '../../../src/lifecycle/post-start-hooks.js';
import type { Observation } from '../../../src/observe/observation.js';
import { deferred, get } from '../health/asking.js';
import { settle } from '../health/manual-clock.js';

describe('runPostStartHooks', () => {
  it('adds the checks before it returns and passes each one when its hook has ended', async () => {
    const health = createHealth();
    const first = deferred();
    const runs: string[] = [];
    const ended = runPostStartHooks({
      health,
      hooks: [
        { name: 'first', run: () => (runs.push('first'), first.promise) },
        { name: 'second', run: () => void runs.push('second') },
      ],
    });
    expect((await health.report('readyz')).checks.map(({ name }) => name)).toContain('poststarthook/second');
    await settle();
    expect((await get(health, '/readyz')).text).toContain(
      '[-]poststarthook/first failed: reason withheld\n[+]poststarthook/second ok\n',
    );
    first.resolve();
    expect(await ended).toEqual([]);
    expect((await get(health, '/readyz')).text).toBe('ok');
    expect(runs).toEqual(['first', 'second']);
  });

  it('leaves the check of a failing hook failed, with the reason, and names it', async () => {
    const seen: Observation[] = [];
    const health = createHealth();
    const failed = await runPostStartHooks({
      health,
      hooks: [
        { name: 'a', run: () => Promise.reject(new Error('no such table')) },
        { name: 'b', run: ({ signal }) => expect(signal.aborted).toBe(false) },
      ],
      observe: (observation) => {
        seen.push(observation);
        throw new Error('hook');
      },
    });
    expect(failed).toEqual(['a']);
    expect((await health.report('readyz')).checks[2]).toMatchObject({ status: 'failed', reason: 'no such table' });
    expect(seen).toMatchObject([{ type: 'error', where: 'poststarthook/a' }]);
  });

  it('calls a method with its object', async () => {
    class Migration implements StartupHook {
      readonly #steps = ['a', 'b'];
      readonly name = 'migration';
      run(): void {
        this.#steps.pop();
      }
    }
    expect(await runPostStartHooks({ health: createHealth(), hooks: [new Migration()] })).toEqual([]);
  });

  it('passes the signal to the hooks', async () => {
    const controller = new AbortController();
    let given: AbortSignal | undefined;
    const hook: StartupHook = { name: 'a', run: ({ signal }) => void (given = signal) };
    await runPostStartHooks({ health: createHealth(), hooks: [hook], signal: controller.signal });
    expect(given).toBe(controller.signal);
  });

  it('adds no check if one of them cannot be added', async () => {
    const health = createHealth();
    const used = health.addPostStartHook('used');
    used.done();
    const run = (): void => expect.unreachable();
    for (const name of ['with space', 'used']) {
      const hooks = [
        { name: 'first', run },
        { name, run },
      ];
      expect(() => void runPostStartHooks({ health, hooks })).toThrow(`"poststarthook/${name}"`);
    }
    const { status, checks } = await health.report('readyz');
    expect(status).toBe('ok');
    expect(checks.map(({ name }) => name)).toEqual(['ping', 'log', 'poststarthook/used', 'shutdown']);
  });

  it('refuses hooks without name or function, or with a duplicate name, before it adds any', async () => {
    const health = createHealth();
    const hooks = [{ name: 'a', run: () => undefined }, { name: 'a', run: 1 }, null, { run: () => undefined }];
    expect(() => runPostStartHooks({ health, hooks: hooks as StartupHook[] })).toThrow(
      /^runPostStartHooks: hooks\[1\]\.run must be a function; hooks\[2\] must be an object; hooks\[3\]\.name must .*; there are two hooks with the name "a"$/,
    );
    expect(() => runPostStartHooks({ health, hooks: {} as StartupHook[] })).toThrow(TypeError);
    expect((await health.report('readyz')).checks).toHaveLength(3);
    expect(() => runPostStartHooks({ health: {}, hooks: [] } as never)).toThrow(
      'health must be the object of createHealth',
    );
  });

  it('throws what a health object of the service throws, which may have no remove', () => {
    const names: string[] = [];
    const addPostStartHook = (name: string) => {
      if (names.push(name) === 2) throw new Error('no more hooks');
      return { done: () => undefined, failed: () => undefined };
    };
    const run = (): void => expect.unreachable();
    const hooks = ['a', 'b'].map((name) => ({ name, run }));
    expect(() => void runPostStartHooks({ health: { addPostStartHook }, hooks })).toThrow('no more hooks');
  });
});
