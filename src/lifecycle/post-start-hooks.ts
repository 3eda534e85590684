import { throwFaults } from '../auth/option-faults.js';
import { createNotifier } from '../observe/notifier.js';
import type { Observe } from '../observe/observation.js';

/** Something a service does once after it started, before it is ready. */
export interface StartupHook {
  /** Shown as the check `poststarthook/NAME`. */
  readonly name: string;
  readonly run: (context: { readonly signal: AbortSignal }) => void | Promise<void>;
}

/** Options of `runPostStartHooks`. */
export interface PostStartHooksOptions {
  /** Where the hooks' checks are added. The object of `createHealth` fits. */
  readonly health: {
    readonly addPostStartHook: (name: string) => { done(): void; failed(error: unknown): void };
  };
  readonly hooks: readonly StartupHook[];
  /** Handed to the hooks; abort it when the service stops before it has started. */
  readonly signal?: AbortSignal;
  /** Is told of hooks that failed. */
  readonly observe?: Observe;
}

/**
 * Adds a check for every hook, in their order and before this function returns, and then runs the hooks side by side,
 * each once. A check says `not finished` until its hook has ended; a hook that throws or rejects leaves it failed, with
 * the reason. Resolves, never rejects, with the names of the hooks that failed.
 *
 * @throws TypeError that lists every fault of the hooks; nothing is added then.
 */
export function runPostStartHooks(options: PostStartHooksOptions): Promise<readonly string[]> {
  const { health, hooks, signal = new AbortController().signal } = options;
  const notify = createNotifier(options.observe);
  checkHooks(hooks);
  const started = hooks.map(({ name, run }) => ({ name, run, check: health.addPostStartHook(name) }));
  const runs = started.map(async ({ name, run, check }): Promise<string | undefined> => {
    try {
      await run({ signal });
      check.done();
      return undefined;
    } catch (error) {
      check.failed(error);
      notify({ type: 'error', error, where: `poststarthook/${name}` });
      return name;
    }
  });
  return Promise.all(runs).then((failed) => failed.filter((name) => name !== undefined));
}

function checkHooks(hooks: readonly StartupHook[]): void {
  const given: unknown = hooks;
  if (!Array.isArray(given)) throw new TypeError('runPostStartHooks: hooks must be a list');
  const list: readonly (Partial<StartupHook> | null | undefined)[] = given;
  const faults: string[] = [];
  const names = new Set<unknown>();
  list.forEach((hook, index) => {
    if (typeof hook?.name !== 'string' || hook.name === '') faults.push(`hook ${index + 1} needs a name`);
    if (typeof hook?.run !== 'function') faults.push(`hook ${index + 1} needs a function run`);
    if (typeof hook?.name === 'string' && names.has(hook.name)) faults.push(`the name ${hook.name} is there twice`);
    names.add(hook?.name);
  });
  throwFaults('runPostStartHooks', faults);
}
