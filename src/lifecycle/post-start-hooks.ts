import { createNotifier, type Observe } from '../observe/observation.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import {
  aFunction,
  aListOf,
  anAbortSignal,
  aNonEmptyString,
  anObject,
  anObjectWith,
  required,
} from '../options/rules.js';

/** Work that a service does once after its start, before it is ready. */
export interface StartupHook {
  /** Shown as the check `poststarthook/NAME`. */
  readonly name: string;
  /** Does the work; the hook is done when it returns, or its promise resolves. */
  readonly run: (context: {
    /** The `signal` of the options; never aborted if they have none. */
    readonly signal: AbortSignal;
  }) => void | Promise<void>;
}

/** Options of `runPostStartHooks`. */
export interface PostStartHooksOptions {
  /** The object to which the checks of the hooks are added. The object of `createHealth` fits. */
  readonly health: {
    /** Adds the check `poststarthook/NAME`, which fails until `done` is called. */
    readonly addPostStartHook: (name: string) => {
      /** Reports that the hook has finished: its check passes from now on. */
      done(): void;
      /** Reports that the hook has failed: its check fails permanently, with the error as its reason. */
      failed(error: unknown): void;
    };
    /** Removes a check: called for those that were added before one that cannot be added. */
    readonly remove?: ((name: string) => unknown) | undefined;
  };
  /** The hooks, all of which begin at once. */
  readonly hooks: readonly StartupHook[];
  /** Passed to the hooks; abort it when the service stops before it has started. */
  readonly signal?: AbortSignal | undefined;
  /** Receives failed hooks. Default: they are process warnings. */
  readonly observe?: Observe | undefined;
}

/**
 * Adds a check for every hook, in order and before this function returns, and then runs the hooks concurrently, each
 * once. A check fails with `not finished` until its hook has ended; if the hook throws or rejects, the check keeps
 * failing with that reason. The returned promise never rejects; it resolves with the names of the hooks that failed.
 *
 * @throws TypeError that lists every fault of the hooks, or what `addPostStartHook` throws, as for a name that is
 *   already in use; no check is added in either case.
 */
export function runPostStartHooks(options: PostStartHooksOptions): Promise<readonly string[]> {
  checkOptions('runPostStartHooks', options, rules(), ({ hooks }) => repeatedNames(hooks));
  const { health, hooks, signal = new AbortController().signal } = options;
  const notify = createNotifier(options.observe);
  const started: { readonly hook: StartupHook; readonly check: ReturnType<typeof health.addPostStartHook> }[] = [];
  try {
    for (const hook of hooks) started.push({ hook, check: health.addPostStartHook(hook.name) });
  } catch (error) {
    for (const { hook } of started) health.remove?.(`poststarthook/${hook.name}`);
    throw error;
  }
  const runs = started.map(async ({ hook, check }): Promise<string | undefined> => {
    try {
      await hook.run({ signal });
      check.done();
      return undefined;
    } catch (error) {
      check.failed(error);
      notify({ type: 'error', error, where: `poststarthook/${hook.name}` });
      return hook.name;
    }
  });
  return Promise.all(runs).then((failed) => failed.filter((name) => name !== undefined));
}

const rules = (): OptionRules<PostStartHooksOptions> => ({
  health: required(anObjectWith(['addPostStartHook'], 'the object of createHealth')),
  hooks: required(aListOf(anObject<StartupHook>({ name: required(aNonEmptyString), run: required(aFunction) }))),
  signal: anAbortSignal,
  observe: aFunction,
});

function repeatedNames(hooks: unknown): readonly string[] {
  const list: readonly (Partial<StartupHook> | null | undefined)[] = Array.isArray(hooks) ? hooks : [];
  const names = list.map((hook) => hook?.name);
  return names
    .filter((name, index) => typeof name === 'string' && names.indexOf(name) < index)
    .map((name) => `there are two hooks with the name ${JSON.stringify(name)}`);
}
