// Merges the small chunks of the ES modules in dist/ into two files: what health needs, and the rest, because a service that
// imports health alone should not compile all of it. tsup makes a chunk for every set of entries that share code,
// so that bundlers can leave out what a service does not use; most are smaller than 5 kB. Node takes about 0.4 ms for each file
// of an import, whatever its size. Bundlers lose nothing: all that runs in these files when they are imported is marked as pure.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rollup } from 'rollup';
import { root } from './gate.mjs';

const SMALL_BYTES = 5_120;
/** Chunks of the health entry up to this size are merged. */
const SMALL_BYTES_OF_HEALTH = 12_288;
const dist = join(root, 'dist');
const files = new Map(
  readdirSync(dist)
    .filter((name) => name.endsWith('.js') && !/^cli[.-]/.test(name))
    .map((name) => [name, readFileSync(join(dist, name), 'utf8')]),
);
const isChunk = (name) => name.startsWith('chunk-');
const health = reachable('health.js');
const limitOf = (name) => (health.has(name) ? SMALL_BYTES_OF_HEALTH : SMALL_BYTES);
const small = [...files].filter(([name, code]) => isChunk(name) && code.length < limitOf(name)).map(([name]) => name);
const merged = withoutCycles(new Set(small));

const bundle = await rollup({
  input: Object.fromEntries([...files.keys()].filter((name) => !isChunk(name)).map((name) => [name, join(dist, name)])),
  external: (id) => !/^[./]/.test(id),
  treeshake: false,
  onwarn({ message }) {
    throw new Error(message);
  },
});
for (const name of files.keys()) rmSync(join(dist, name));
await bundle.write({
  dir: dist,
  entryFileNames: '[name]',
  chunkFileNames: '[name].js',
  hoistTransitiveImports: false,
  minifyInternalExports: false,
  manualChunks(id) {
    const name = basename(id);
    if (merged.has(name)) return health.has(name) ? 'chunk-health' : 'chunk-small';
    return isChunk(name) ? basename(name, '.js') : undefined;
  },
});
await bundle.close();

/** The chunks that import only one another: the merged file must not import a chunk that imports it. */
function withoutCycles(names) {
  const kept = [...names].filter((name) => importsOf(name).every((imported) => names.has(imported)));
  return kept.length === names.size ? names : withoutCycles(new Set(kept));
}

/** The file, and all it imports when it is loaded. */
function reachable(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of importsOf(name)) reachable(imported, found);
  return found;
}

function importsOf(name) {
  return [...files.get(name).matchAll(/^(?:import|export)\b[^;]*?['"]\.\/([^'"]+)['"]/gm)].map(([, file]) => file);
}
