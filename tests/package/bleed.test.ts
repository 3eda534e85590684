import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { built, entries, manifest } from './package-entries.js';
import { root } from './source-files.js';

interface Bundle {
  /** npm packages in the bundle, those loaded lazily included. */
  readonly packages: string[];
  /** Built-ins of Node that are loaded with the bundle. */
  readonly builtins: string[];
  /** Built-ins of Node, and drivers, behind an `import()`. */
  readonly lazy: string[];
}

/** Optional peers: whoever wants one installs it. */
const DRIVERS = Object.keys(manifest.peerDependencies);

/** Bundles a consumer's file. Built-ins stay imports; everything else is bundled. */
async function bundle(code: string): Promise<Bundle> {
  const result = await build({
    stdin: { contents: code, resolveDir: root, sourcefile: 'consumer.js' },
    bundle: true,
    minify: true,
    treeShaking: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'unused',
    external: DRIVERS,
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const outputs = Object.values(result.metafile.outputs);
  const used = outputs.flatMap((output) =>
    Object.entries(output.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]),
  );
  // Built-ins that dependencies import do not count.
  const own = Object.entries(result.metafile.inputs).filter(([path]) => !path.includes('node_modules/'));
  const external = own.flatMap(([, input]) => input.imports.filter((line) => line.external));
  const unique = (names: readonly (string | undefined)[]): string[] =>
    [...new Set(names.filter((name) => name !== undefined))].sort();
  return {
    packages: unique(used),
    builtins: unique(external.filter((line) => line.kind !== 'dynamic-import').map((line) => line.path)),
    lazy: unique(external.filter((line) => line.kind === 'dynamic-import').map((line) => line.path)),
  };
}

const whole = (base: string): Promise<Bundle> => bundle(`export * from ${JSON.stringify(built(`${base}.js`))};`);

/** What the bundle of each entry may contain. A new entry needs a line here. */
const allowed: Readonly<Record<string, Bundle>> = {
  // node:crypto compares tokens in constant time; node:zlib compresses responses of 128 KiB and more; node:v8 tells the
  // memory store how large the heap may become.
  index: { packages: ['@bufbuild/protobuf', 'yaml'], builtins: ['node:crypto'], lazy: ['node:v8', 'node:zlib'] },
  health: { packages: [], builtins: [], lazy: [] },
  checks: { packages: [], builtins: ['node:*'], lazy: [] },
  node: { packages: [], builtins: ['node:*'], lazy: ['node:*'] },
  fetch: { packages: [], builtins: [], lazy: [] },
  fastify: { packages: [], builtins: ['node:*'], lazy: ['node:*'] },
  hono: { packages: [], builtins: [], lazy: [] },
  koa: { packages: [], builtins: ['node:*'], lazy: ['node:*'] },
  nest: { packages: [], builtins: ['node:*'], lazy: ['node:*'] },
  bridge: { packages: [], builtins: [], lazy: [] },
  store: { packages: [], builtins: [], lazy: [] },
  // The drivers are loaded by the worker, which is a program of its own.
  sqlite: { packages: [], builtins: ['node:path', 'node:worker_threads'], lazy: [] },
  lifecycle: { packages: [], builtins: [], lazy: [] },
  metrics: { packages: [], builtins: [], lazy: ['prom-client'] },
  observers: { packages: [], builtins: [], lazy: [] },
  postgres: { packages: [], builtins: ['node:buffer'], lazy: ['node:net', 'pg'] },
  // HTTP needs undici, gRPC its own package: only the one that is used is loaded.
  etcd: { packages: ['@bufbuild/protobuf', 'undici'], builtins: [], lazy: ['@grpc/grpc-js', 'node:*'] },
  // Transports alone need more, and load it when they are used: undici, yaml of a kubeconfig, and what reads files.
  client: { packages: ['undici', 'yaml'], builtins: [], lazy: ['node:*'] },
  testing: { packages: [], builtins: [], lazy: [] },
};

function beyond(found: readonly string[], names: readonly string[]): string[] {
  return found.filter((name) => !names.includes(name) && !(name.startsWith('node:') && names.includes('node:*')));
}

describe('a bundle', () => {
  it.each(entries)('of $specifier contains only what it needs', async ({ base }) => {
    const bounds = allowed[base];
    if (!bounds) throw new Error(`say in tests/package/bleed.test.ts what ${base} may contain`);
    const found = await whole(base);
    expect({
      packages: beyond(found.packages, bounds.packages),
      builtins: beyond(found.builtins, bounds.builtins),
      lazy: beyond(found.lazy, bounds.lazy),
    }).toEqual({ packages: [], builtins: [], lazy: [] });
    // An ES module that imports it has all its exports evaluated, and with them undici: 30 ms in Node 22.
    expect(found.builtins).not.toContain('node:http');
  });
});
