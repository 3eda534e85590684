import { bridgeRules, type BridgeOptions } from './bridge/exchange/options.js';
import { mountInNest, type NestHttpAdapter } from './bridge/node/nest-adapter.js';
import { aBasePath } from './http/base-path.js';
import { firstOf, type ApiHandler } from './http/handler.js';
import { createNestShutdown, type KubeVitalsShutdownOptions } from './nest-shutdown.js';
import { checkOptions, type OptionRules } from './options/check-options.js';
import { aFunction, aList, anObject, anObjectWith, required } from './options/rules.js';
import { oneOrList, shutdownRules, type InstallShutdownOptions, type ShutdownServer } from './shutdown-options.js';

/** Injects the health object of the options: `@Inject(HEALTH) health: Health`. */
// Registered symbols, because there may be two copies of this package.
export const HEALTH: unique symbol = /* @__PURE__ */ Symbol.for('kube-vitals.nest.health') as never;

/** Injects the events object of the options, `undefined` where there is none: `@Inject(EVENTS) events: Events`. */
export const EVENTS: unique symbol = /* @__PURE__ */ Symbol.for('kube-vitals.nest.events') as never;

/** Options of `KubeVitalsModule.forRoot`. */
export interface KubeVitalsModuleOptions extends Omit<BridgeOptions, 'basePath'> {
  /** The object of `createHealth`. Providers inject it with {@link HEALTH}. */
  readonly health: InstallShutdownOptions['health'] & { readonly handle: ApiHandler };
  /** The object of `createEvents`. Providers inject it with {@link EVENTS}. Default: no events are served. */
  readonly events?: (NonNullable<InstallShutdownOptions['events']> & { readonly handle: ApiHandler }) | undefined;
  /** The recorder, or all recorders, of the service: what was recorded is written before the store is closed. Default: none. */
  readonly recorder?: InstallShutdownOptions['recorder'];
  /** The store of the events: closed at the end, when the rest of the application is closed. Default: none is. */
  readonly store?: InstallShutdownOptions['store'];
  /**
   * What is served, for example `firstOf(health.handle, metrics.handle, events.handle)`. Default: health, then events.
   */
  readonly handle?: ApiHandler | undefined;
  /**
   * Path prefix, or a list of them, under which it is served, such as `/ops`; `''` is the root. The global prefix of Nest is
   * not added. Default: the root.
   */
  readonly basePath?: string | readonly string[] | undefined;
  /**
   * How the shutdown goes. Default: as `installShutdown` by default. With `false` the module closes nothing: for services that
   * call `installShutdown` themselves.
   */
  readonly shutdown?: KubeVitalsShutdownOptions | false | undefined;
}

/** Options of `KubeVitalsModule.forRootAsync`. */
export interface KubeVitalsModuleAsyncOptions {
  /** The modules that export what is injected. */
  readonly imports?: readonly unknown[] | undefined;
  /** The tokens of what `useFactory` is called with. */
  readonly inject?: readonly unknown[] | undefined;
  /** Makes the options of the module. */
  readonly useFactory: (...dependencies: never[]) => KubeVitalsModuleOptions | Promise<KubeVitalsModuleOptions>;
}

/** A module for the `imports` of a Nest module. A structural type: the package does not depend on Nest. */
export interface NestDynamicModule {
  /** The class by which Nest knows the module. */
  readonly module: KubeVitalsModuleClass;
}

/** The class of the module, as Nest has classes for modules. */
export interface KubeVitalsModuleClass {
  /** The instance is made by Nest. */
  new (): object;
  /**
   * The module with options that exist already.
   *
   * @throws TypeError that lists every fault of the options.
   */
  readonly forRoot: (options: KubeVitalsModuleOptions) => NestDynamicModule;
  /**
   * The module with options that a function makes of injected providers. What is wrong with them is a TypeError while Nest
   * creates the application.
   *
   * @throws TypeError that lists every fault of the argument.
   */
  readonly forRootAsync: (options: KubeVitalsModuleAsyncOptions) => NestDynamicModule;
}

/**
 * Serves health and events in a Nest application, on Express or Fastify:
 * `imports: [KubeVitalsModule.forRoot({ health, events, store })]`, last in the list of the root module, since Nest destroys the last
 * one first.
 *
 * - Requests are answered before body parsers, the global prefix, guards, pipes and interceptors, and after what `app.use()`,
 *   and on Fastify `app.register()`, added before `init()` or `listen()`. Middleware of modules (`consumer.apply`) never sees
 *   them on Express, and runs before on Fastify.
 * - `authenticate` finds the request of Express, or that of Fastify, with `callerFrom`.
 * - Where no route of the service matches, events also answer `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`.
 * - `app.close()`, and signals after `app.enableShutdownHooks()`, shut down as `installShutdown` does: in `onModuleDestroy`
 *   `/readyz` fails, `delayMs` pass, watches end and requests in flight finish; after the last `onApplicationShutdown` health
 *   and the store are closed.
 */
export const KubeVitalsModule: KubeVitalsModuleClass = class KubeVitalsModule {
  static forRoot(options: KubeVitalsModuleOptions): NestDynamicModule {
    checkOptions('KubeVitalsModule', options, rules());
    return dynamicModule({ useFactory: () => options });
  }

  static forRootAsync(options: KubeVitalsModuleAsyncOptions): NestDynamicModule {
    checkOptions('KubeVitalsModule', options, asyncRules());
    const { imports, inject, useFactory } = options;
    return dynamicModule({
      imports,
      inject,
      async useFactory(...dependencies): Promise<KubeVitalsModuleOptions> {
        const made = await useFactory(...dependencies);
        checkOptions('KubeVitalsModule', made, rules());
        return made;
      },
    });
  }
};

/** Has the providers. Global, and so the last module that Nest closes. */
class KubeVitalsProviders {}

const OPTIONS = /* @__PURE__ */ Symbol.for('kube-vitals.nest.options');
const VITALS = /* @__PURE__ */ Symbol.for('kube-vitals.nest.vitals');

function dynamicModule({ imports = [], inject = [], useFactory }: KubeVitalsModuleAsyncOptions): NestDynamicModule {
  const ofOptions = (provide: symbol, make: (options: KubeVitalsModuleOptions) => unknown): object => ({
    provide,
    inject: [OPTIONS],
    useFactory: make,
  });
  const providers = {
    module: KubeVitalsProviders,
    global: true,
    imports,
    providers: [
      { provide: OPTIONS, inject, useFactory },
      ofOptions(HEALTH, ({ health }) => health),
      ofOptions(EVENTS, ({ events }) => events),
      ofOptions(VITALS, createVitals),
    ],
    exports: [HEALTH, EVENTS, VITALS],
  };
  const vitals = {
    module: KubeVitalsModule,
    imports: [providers],
    // The instance of the module: no decorators are needed to inject something into it.
    providers: [{ provide: KubeVitalsModule, inject: [VITALS], useFactory: (made: object) => made }],
  };
  return vitals;
}

/** What Nest calls. Both modules have it, so that each of its steps comes when the first or the last of them is called. */
function createVitals(options: KubeVitalsModuleOptions) {
  const { health, events, recorder, store, handle, basePath = '', shutdown: shutdownOptions, ...bridge } = options;
  const handler = handle ?? (events === undefined ? health.handle : firstOf(health.handle, events.handle));
  const shutdown =
    shutdownOptions === false
      ? undefined
      : createNestShutdown({ ...shutdownOptions, health, events, recorder, store, clock: options.clock });
  let afterRoutes: (() => void) | undefined;
  let modules = 2;
  return {
    configure(consumer: { getHttpAdapter(): NestHttpAdapter }): void {
      const adapter = consumer.getHttpAdapter();
      afterRoutes = mountInNest(adapter, handler, [basePath].flat() as readonly string[], bridge);
      shutdown?.install(adapter.getHttpServer() as ShutdownServer);
    },
    onModuleInit(): void {
      afterRoutes?.();
      afterRoutes = undefined;
    },
    async onModuleDestroy(): Promise<void> {
      await shutdown?.drain();
    },
    async onApplicationShutdown(): Promise<void> {
      modules -= 1;
      if (modules === 0) await shutdown?.finish();
    },
  };
}

const rules = (): OptionRules<KubeVitalsModuleOptions> => {
  const { recorder, store, ...rest } = shutdownRules();
  const { server: _server, health: _health, events: _events, close: _close, ...more } = rest;
  const { signals: _signals, exit: _exit, clock: _clock, ...ofShutdown } = more;
  return {
    ...bridgeRules(),
    basePath: oneOrList(aBasePath),
    health: required(anObjectWith(['handle', 'startShutdown'], 'the object of createHealth')),
    events: anObjectWith(['handle', 'close'], 'the object of createEvents'),
    recorder,
    store,
    handle: aFunction,
    shutdown: (value, name) => (value === false ? [] : anObject<KubeVitalsShutdownOptions>(ofShutdown)(value, name)),
  };
};

const asyncRules = (): OptionRules<KubeVitalsModuleAsyncOptions> => ({
  imports: aList,
  inject: aList,
  useFactory: required(aFunction),
});
