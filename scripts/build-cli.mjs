// Builds the program of the package: dist/cli.js and what it loads when a command runs, and dist/cli.cjs, which `bin` names:
// it probes by itself and leaves all else to cli.js. The library is not built into the program a second time: its entries are
// imported from the files beside it. What only the program needs (certificates) is built in, with the licences of those
// packages in dist/cli-licenses.txt.
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

/** The import of `src/cli/main.ts` becomes one of the file that is built of it. */
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
  // Metrics work without anything installed beside the program.
  external: [
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.peerDependencies).filter((name) => name !== 'prom-client'),
  ],
  plugins: [entriesBeside],
  // What is built in is written for CommonJS, and requires modules of Node.
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

/** A licence that asks to be carried along with the code. */
function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((path) => /^(licen[cs]e|copyright)/i.test(basename(path)));
  if (file === undefined) throw new Error(`${name} is built into the program and has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
}
