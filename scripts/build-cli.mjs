// Builds the program of the package: dist/cli.js with the files that its commands load, and dist/cli.cjs, which `bin`
// names: it runs `probe` itself and loads cli.js for all other commands. The library is not bundled into the program
// again: its entries are imported from the files beside it. Packages that only the program needs (for certificates) are
// bundled, with their licences in dist/cli-licenses.txt.
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './gate.mjs';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const dist = join(root, 'dist');
const entryFiles = new Map(
  Object.keys(manifest.exports)
    .filter((key) => key !== './package.json')
    .map((key) => (key === '.' ? 'index' : key.slice(2)))
    .map((base) => [join(root, `src/${base}.ts`), `./${base}.js`]),
);

/** Imports of the entries of `src/` become imports of their files in `dist/`. */
const entriesBeside = {
  name: 'entries-beside',
  setup(context) {
    context.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const external = entryFiles.get(join(resolveDir, path).replace(/\.js$/, '.ts'));
      return external && { path: external, external: true, sideEffects: false };
    });
  },
};

/** The import of `src/cli/main.ts` becomes one of the file that is built from it. */
const allCommands = {
  name: 'all-commands',
  setup(context) {
    context.onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: './cli.js', external: true }));
  },
};

for (const name of readdirSync(dist)) if (/^cli[.-]/.test(name)) rmSync(join(dist, name));
const common = {
  outdir: dist,
  bundle: true,
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
};
const { metafile } = await build({
  ...common,
  entryPoints: { cli: join(root, 'src/cli/main.ts') },
  chunkNames: 'cli-[name]-[hash]',
  splitting: true,
  format: 'esm',
  // prom-client is bundled, so that metrics work without another installed package.
  external: [
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies).filter((name) => name !== 'prom-client'),
  ],
  plugins: [entriesBeside],
  // The bundled packages are written for CommonJS, and require modules of Node.
  banner: {
    js: `import { createRequire as createCliRequire } from 'node:module';\nconst require = createCliRequire(import.meta.url);`,
  },
  metafile: true,
});
await build({
  ...common,
  entryPoints: { cli: join(root, 'src/cli/bin.ts') },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [allCommands],
});
chmodSync(join(dist, 'cli.cjs'), 0o755);

const folders = Object.keys(metafile.inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
writeFileSync(join(dist, 'cli-licenses.txt'), [...new Set(folders.filter(Boolean))].sort().map(licenceOf).join('\n'));

/** The licence of a bundled package, which has to be distributed with its code. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((path) => /^(licen[cs]e|copyright)/i.test(basename(path)));
  if (file === undefined) throw new Error(`${name} is built into the program and has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
}
