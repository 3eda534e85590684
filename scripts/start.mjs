// `npm start`: runs `kube-vitals serve` from dist/, which it builds first if it is missing or older than the sources.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const program = join(root, 'dist/cli.js');

/** The time of the newest file. Folders count too: their time is that of the last file that was added or removed. */
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

/**
 * The help or the error of a command line that starts no server, from the sources: this takes 50 ms instead of a build.
 */
async function answerFromSources() {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/cli/serve/serve-command.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    external: ['./serve.js', './primary.js', './worker.js'], // the server itself
    logLevel: 'silent',
  });
  // Otherwise its process would keep running beside the server.
  await stop();
  const { serveCommand } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  return serveCommand.prepare(process.argv.slice(2));
}

/**
 * npm passes SIGTERM on to its shell only, which may end without this process: its end counts as SIGTERM then. But not
 * after a signal that the whole group got: a second one would end the server at once.
 */
function endWithParent() {
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      clearInterval(watching);
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
}

/** Runs a script, with a dot for each second. */
async function run(...words) {
  const dots = setInterval(() => process.stderr.write('.'), 1_000);
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(child, 'exit');
  clearInterval(dots);
  if (status !== 0) process.exit(status ?? 1);
}

if (process.env.npm_lifecycle_event !== undefined) endWithParent();

if (!isFresh()) {
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');
  if (!existsSync(tsup)) {
    process.stderr.write('error: the tools of the build are missing; run npm ci first\n');
    process.exit(1);
  }
  // The build reports sources that cannot be bundled.
  const prepared = await answerFromSources().catch(() => ({}));
  if ('help' in prepared) {
    process.stdout.write(prepared.help);
    process.exit(0);
  }
  if ('error' in prepared) {
    process.stderr.write(`error: ${prepared.error}; see kube-vitals serve --help\n`);
    process.exit(2);
  }
  const begun = performance.now();
  process.stderr.write('building kube-vitals, as dist is missing or older than the sources: the library ');
  // Declarations are for users of the library, and take most of the time of `npm run build`.
  await run(tsup, '--silent', '--no-dts', '--format', 'esm');
  process.stderr.write(' the program ');
  await run(join(root, 'scripts/build-cli.mjs'));
  process.stderr.write(` built in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}

process.argv.splice(1, 1, program, 'serve');
await import(pathToFileURL(program).href);
