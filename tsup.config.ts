import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** One entry for each key of `exports` in package.json. */
const entries = {
  index: 'src/index.ts',
  health: 'src/health.ts',
  checks: 'src/checks.ts',
  lifecycle: 'src/lifecycle.ts',
  metrics: 'src/metrics.ts',
  observers: 'src/observers.ts',
  node: 'src/node.ts',
  fetch: 'src/fetch.ts',
  fastify: 'src/fastify.ts',
  hono: 'src/hono.ts',
  koa: 'src/koa.ts',
  nest: 'src/nest.ts',
  bridge: 'src/bridge.ts',
  store: 'src/store.ts',
  sqlite: 'src/sqlite.ts',
  postgres: 'src/postgres.ts',
  etcd: 'src/etcd.ts',
  client: 'src/client.ts',
  testing: 'src/testing.ts',
};

export default defineConfig({
  // `sqlite-worker` is the program of the thread that `sqliteStore` starts: no entry of the package, found beside its file.
  // `index-again` shares all its code with `index`, so that this code is built into chunks: bundlers leave out those of which
  // nothing is used, where they would keep parts of a file of which something is. `recorder-again` does the same for what a
  // recorder needs of the client's code, and `events-again` keeps the memory store apart from events. They are removed below.
  entry: {
    ...entries,
    'index-again': './src/index.ts',
    'recorder-again': 'src/client/recorder/create-recorder.ts',
    'events-again': 'src/events/create-events.ts',
    'sqlite-worker': 'src/store/sqlite/worker.ts',
  },
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  dts: { entry: entries },
  splitting: true,
  treeshake: true,
  sourcemap: false,
  clean: true,
  // Bundlers for other runtimes tell built-ins from packages by `node:`.
  removeNodeProtocol: false,
  async onSuccess() {
    for (const name of ['index-again', 'recorder-again', 'events-again'])
      for (const ending of ['js', 'cjs']) rmSync(`dist/${name}.${ending}`, { force: true });
    // Both builds start the worker that is an ES module.
    rmSync('dist/sqlite-worker.cjs', { force: true });
    // Tools that run CommonJS in a context of their own, such as Jest, have no import(). A package that is required directly
    // in a `try`, bundlers take for optional.
    for (const name of readdirSync('dist').filter((file) => file.endsWith('.cjs'))) {
      const code = readFileSync(`dist/${name}`, 'utf8');
      const required = code
        .replace(/\bimport\(('[^']+')\)/g, 'Promise.resolve(require($1))')
        // Rollup's form of `import.meta.url` is that of a script in a page where tests have a global `document` (jsdom).
        .replace(/^var _documentCurrentScript = .*\n/m, '')
        .replace(
          /\(typeof document === .* document\.baseURI\)\.href\)\)/g,
          "require('node:url').pathToFileURL(__filename).href",
        );
      if (required !== code) writeFileSync(`dist/${name}`, required);
    }
  },
});
