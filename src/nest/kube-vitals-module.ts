import { bridgeRules, type BridgeOptions } from '../bridge/exchange/options.js';
import { mountInNest, type NestHttpAdapter } from '../bridge/node/nest-adapter.js';
import { aBasePath } from '../http/base-path.js';
import { firstOf, type ApiHandler } from '../http/handler.js';
import { createNestShutdown, type KubeVitalsShutdownOptions } from './shutdown.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aFunction, aList, anObject, anObjectWith, required } from '../options/rules.js';
import { oneOrMore, shutdownRules, type InstallShutdownOptions, type ShutdownServer } from '../shutdown/options.js';

/** Token that injects the health object of the options: `@Inject(HEALTH) health: Health`. */
// Registered symbols, because there may be two copies of this package.
export const HEALTH: unique symbol = /* @__PURE__ */ Symbol.for('kube-vitals.nest.health') as never;

/**
 * Token that injects the events object of the options, `undefined` if there is none: `@Inject(EVENTS) events: Events`.
 */
export const EVENTS: unique symbol = /* @__PURE__ */ Symbol.for('kube-vitals.nest.events') as never;

/** Options of `KubeVitalsModule.forRoot`. */
export interface KubeVitalsModuleOptions extends Omit<BridgeOptions, 'basePath'> {
  /** The object of `createHealth`. Providers inject it with {@link HEALTH}. */
  readonly health: InstallShutdownOptions['health'] & {
    /** Handles the health endpoints. */
    readonly handle: ApiHandler;
  };
  /** The object of `createEvents`. Providers inject it with {@link EVENTS}. Default: no events are served. */
  readonly events?:
    | (NonNullable<InstallShutdownOptions['events']> & {
        /** Handles the Event API. */
        readonly handle: ApiHandler;
      })
    | undefined;
  /**
   * The recorder, or all recorders, of the service. Recorded events are written before the store is closed. Default:
   * none.
   */
  readonly recorder?: InstallShutdownOptions['recorder'];
  /**
   * The store of the events. It is closed at the end, after the rest of the application. Default: no store is closed.
   */
  readonly store?: InstallShutdownOptions['store'];
  /**
   * The handler that is served, for example `firstOf(health.handle, metrics.handle, events.handle)`. Default: health,
   * then events.
   */
  readonly handle?: ApiHandler | undefined;
  /**
   * Path prefix, or a list of prefixes, under which the handler is served, such as `/ops`; `''` is the root. The global
   * prefix of Nest is not added. Default: the root.
   */
  readonly basePath?: string | readonly string[] | undefined;
  /**
   * Options of the shutdown. Default: the defaults of `installShutdown`. With `false` the module closes nothing: for
   * services that call `installShutdown` themselves.
   */
  readonly shutdown?: KubeVitalsShutdownOptions | false | undefined;
}

/** Options of `KubeVitalsModule.forRootAsync`. */
export interface KubeVitalsModuleAsyncOptions {
  /** The modules that export the injected providers. */
  readonly imports?: readonly unknown[] | undefined;
  /** The tokens of the providers that are passed to `useFactory`. */
  readonly inject?: readonly unknown[] | undefined;
  /** Creates the options of the module. */
  readonly useFactory: (...dependencies: never[]) => KubeVitalsModuleOptions | Promise<KubeVitalsModuleOptions>;
}

/** A module for the `imports` of a Nest module. A structural type: the package does not depend on Nest. */
export interface NestDynamicModule {
  /** The class by which Nest identifies the module. */
  readonly module: KubeVitalsModuleClass;
}

/** The class of the module, since modules of Nest are classes. */
export interface KubeVitalsModuleClass {
  /** The instance is created by Nest. */
  new (): object;
  /**
   * Returns the module with options that already exist.
   *
   * @throws TypeError that lists every fault of the options.
   */
  readonly forRoot: (options: KubeVitalsModuleOptions) => NestDynamicModule;
  /**
   * Returns the module with options that a function creates from injected providers. Faults of these options are a
   * TypeError while Nest creates the application.
   *
   * @throws TypeError that lists every fault of the argument.
   */
  readonly forRootAsync: (options: KubeVitalsModuleAsyncOptions) => NestDynamicModule;
}

/**
 * Serves health and events in a Nest application, on Express or Fastify:
 * `imports: [KubeVitalsModule.forRoot({ health, events, store })]`, last in the list of the root module, since Nest
 * destroys the last one first.
 *
 * - Requests are handled before body parsers, the global prefix, guards, pipes and interceptors, and after middleware
 *   and plugins that `app.use()`, and on Fastify `app.register()`, added before `init()` or `listen()`. Middleware of
 *   modules (`consumer.apply`) is not called for them on Express, and runs before them on Fastify.
 * - With `callerFrom`, `authenticate` gets the request of Express or of Fastify.
 * - If no route of the service matches, events also serve `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`.
 * - `app.close()`, and signals after `app.enableShutdownHooks()`, shut down as `installShutdown` does: in
 *   `onModuleDestroy` `/readyz` fails, `delayMs` pass, watches end and requests in flight finish; after the last
 *   `onApplicationShutdown` health and the store are closed.
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

/** Contains the providers. It is global, and therefore the last module that Nest closes. */
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
    // Provides the instance of the module, so that no decorators are needed for injection.
    providers: [{ provide: KubeVitalsModule, inject: [VITALS], useFactory: (made: object) => made }],
  };
  return vitals;
}

/** The object whose hooks Nest calls. Both modules provide it: a step runs with the first call or with the last. */
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
    basePath: oneOrMore(aBasePath),
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
