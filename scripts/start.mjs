// `npm start`: runs `kube-vitals serve` from dist/, which is built before where it is missing or older than the sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const program = join(root, 'dist/cli.js');

/** Folders count too: their time is that of the last file that was added or removed. */
function newest(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isFresh() {
  const built = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ['src', 'tsup.config.ts', 'scripts/build-cli.mjs', 'package.json'].every(
    (path) => newest(join(root, path)) < built,
  );
}

function run(...words) {
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}

if (!isFresh()) {
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');
  if (!existsSync(tsup)) {
    process.stderr.write('error: the tools of the build are missing; run npm ci first\n');
    process.exit(1);
  }
  const begun = performance.now();
  process.stderr.write('building kube-vitals, as dist is missing or older than the sources …\n');
  // Declarations are for users of the library, and take most of the time of `npm run build`.
  run(tsup, '--silent', '--no-dts', '--format', 'esm');
  run(join(root, 'scripts/build-cli.mjs'));
  process.stderr.write(`built in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}

process.argv.splice(1, 1, program, 'serve');
await import(pathToFileURL(program).href);
