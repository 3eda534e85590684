// Helpers of the gate scripts: they run named gates one after the other, run commands, and pack the package.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The repository's folder. */
export const root = join(import.meta.dirname, '..');

/** Thrown by a gate whose program is not installed. With `CI=true` it is a failure. */
export class NotRun extends Error {}

/**
 * Runs every gate, prints one line each, and ends the process with 1 when any failed. With `RESULTS_DIR` set, leaves
 * `<name>.json` with the counts there for ci-summary.mjs.
 */
export async function runGates(name, gates) {
  const counts = { passed: 0, failed: 0 };
  for (const [title, gate] of Object.entries(gates)) {
    const started = performance.now();
    try {
      const remark = await gate();
      counts.passed += 1;
      console.log(`ok      ${title} (${seconds(started)})${remark ? `: ${remark}` : ''}`);
    } catch (error) {
      if (error instanceof NotRun && process.env.CI !== 'true') {
        console.log(`NOT RUN ${title}: ${error.message}`);
        continue;
      }
      counts.failed += 1;
      console.log(`FAILED  ${title} (${seconds(started)})\n${indent(reasonOf(error))}`);
    }
  }
  const folder = process.env.RESULTS_DIR;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(counts));
  }
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

/** Runs a command without a shell and returns its output; an error contains all that it printed. */
export function run(command, args, { cwd = root, env = {} } = {}) {
  try {
    return execFileSync(command, args, {
      cwd,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
      timeout: 300_000,
    });
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? ''}${error.signal ?? ''}`, {
      cause: error,
    });
  }
}

/** Runs a program of the repository's own node_modules with this Node. */
export function runTool(script, args, options) {
  return run(process.execPath, [join(root, 'node_modules', script), ...args], options);
}

/** A fresh folder outside the repository, so that nothing resolves from its node_modules; removed when the process ends. */
export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs the built package into `folder` as npm would publish it. */
export function pack(folder) {
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  // npm 12 prints an object by package name, earlier ones a list.
  const [packed] = Object.values(JSON.parse(output.slice(output.search(/[[{]/))));
  return { tarball: join(folder, packed.filename), files: packed.files.map((file) => file.path) };
}

const seconds = (started) => `${((performance.now() - started) / 1000).toFixed(1)} s`;
const indent = (text) => text.replace(/^/gm, '        ');
const reasonOf = (error) => (error instanceof Error ? error.message : String(error));
