import { systemClock } from '../clock/clock.js';
import { createSemaphore } from '../clock/semaphore.js';
import { createBuiltIn, postStartHook } from './built-in.js';
import { createChanges } from './changes.js';
import { createCheckRunner } from './check-runner.js';
import type { Health, HealthCheck, HealthReport, HealthRoot } from './contract.js';
import { ROOTS, isRoot, resolveCheck } from './definition.js';
import { optionFaults, throwFaults } from '../options/check-options.js';
import { aListOfStrings, mustBe, required } from '../options/rules.js';
import { createEndpoints, type EndpointsDependencies } from './endpoints.js';
import { evaluateAll, evaluateOne, reportOf, finished, type GracePeriod } from './evaluate.js';
import { createLogWatch } from './log-watch.js';
import { checkHealthOptions, type HealthOptions } from './options.js';
import { createPermission, grantToAll } from './permission.js';
import { createRegistry } from './registry.js';

/**
 * Creates the health of a service: the endpoints `/healthz`, `/livez` and `/readyz` with the checks `ping`, `log` and
 * `shutdown`, and the checks that are added.
 *
 * ```ts
 * const health = createHealth();
 * health.add({ name: 'database', check: ({ signal }) => database.ping({ signal }) });
 * ```
 *
 * @throws TypeError that lists every fault of the options.
 */
export function createHealth(options: HealthOptions = {}): Health {
  checkHealthOptions(options);
  const { authenticate, authorize, impersonation, clock = systemClock } = options;
  const { concurrency = 16, timeoutMs = 2_000, livezGracePeriodMs = 0 } = options;

  const { observe, isBlocked } = createLogWatch(options.observe, clock);
  const open = grantToAll(impersonation !== undefined);
  const { announce, onChange } = createChanges(observe);
  const semaphore = createSemaphore(concurrency);
  let shuttingDown = false;
  let closed = false;

  const builtIn = createBuiltIn(clock, announce);
  const ping = builtIn('ping', ROOTS, () => undefined);
  // Fails while the `observe` hook is blocked.
  const log = builtIn('log', ROOTS, () => (isBlocked() ? 'logging blocked' : undefined));
  // Readiness only: a draining process is alive.
  const shutdown = builtIn('shutdown', ['readyz'], () => (shuttingDown ? 'process is shutting down' : undefined));
  const registry = createRegistry([ping, log], [shutdown]);

  const gracePeriod: GracePeriod = {
    applies: (root, { definition }) => root === 'livez' && definition.startup && livezGracePeriodMs > 0,
    lasts: ({ addedAt }) => clock.monotonic() - addedAt < livezGracePeriodMs,
  };
  const evaluate: EndpointsDependencies['evaluate'] = (root, exclude) =>
    evaluateAll(root, registry.of(root), exclude, gracePeriod);

  function add(check: HealthCheck): void {
    const definition = resolveCheck(check, timeoutMs);
    if (registry.has(definition.name)) {
      throw new TypeError(`health.add: there is already a check ${JSON.stringify(definition.name)}; remove it first`);
    }
    const runner = createCheckRunner(definition, clock, semaphore, announce);
    registry.add(runner);
    if (closed) runner.close();
  }

  async function report(
    root: HealthRoot,
    given: { readonly exclude?: readonly string[] | undefined } = {},
  ): Promise<HealthReport> {
    throwFaults('health.report', [
      ...required(mustBe(isRoot, `one of ${ROOTS.join(', ')}`))(root, 'the root'),
      ...optionFaults(given, { exclude: aListOfStrings }),
    ]);
    return reportOf(root, await finished(evaluate(root, given.exclude ?? [])));
  }

  return {
    handle: createEndpoints(options, {
      clock,
      observe,
      permission:
        authenticate && authorize
          ? createPermission({ authenticate, authorize, impersonation, clock }, observe, 'health')
          : open,
      open,
      evaluate,
      evaluateOne: (root, name) => {
        const runner = registry.find(root, name);
        return runner && evaluateOne(root, runner, gracePeriod);
      },
    }),
    add,
    remove(name) {
      if (registry.isBuiltIn(name)) throw new TypeError(`health.remove: ${JSON.stringify(name)} is built in`);
      const runner = registry.remove(name);
      runner?.retire();
      if (runner) void observe({ type: 'health.removed', check: name });
      return runner !== undefined;
    },
    addPostStartHook: (name) => postStartHook(name, add),
    report,
    onChange,
    startShutdown() {
      shuttingDown = true;
      // Evaluated now, so that listeners are called now and not at the next probe.
      void shutdown.ask();
    },
    isShuttingDown: () => shuttingDown,
    observe,
    close() {
      closed = true;
      // A check that waits for a permit must not start when aborted checks release theirs.
      semaphore.clearQueue();
      for (const runner of registry.added()) runner.close();
    },
  };
}
