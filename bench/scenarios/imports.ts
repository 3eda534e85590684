import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { figure, median, type Figure } from '../figures.js';
import type { Scenario } from '../phases/contract.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly import: { readonly default: string } }>>;
}

/** How long an import of each entry takes, in processes that have imported nothing yet; then the cost of a probe. */
export const imports: Scenario = {
  id: 'imports',
  title:
    'import of each entry beyond that of an empty module, and processor time of `kube-vitals probe` beyond `node -e 0`',
  async run(bench) {
    const { importRuns } = bench.options.times;
    const folder = await mkdtemp(join(tmpdir(), 'bench-imports-'));
    const empty = join(folder, 'empty.mjs');
    writeFileSync(empty, 'export const nothing = true;\n');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
    const entries = Object.entries(manifest.exports).flatMap(([key, target]) =>
      typeof target === 'string'
        ? []
        : [{ name: key === '.' ? 'root' : key.slice(2), file: join(root, target.import.default) }],
    );
    try {
      const figures: Figure[] = [];
      for (const { name, file } of entries) {
        const own: number[] = [];
        const nothing: number[] = [];
        for (let turn = 0; turn < importRuns; turn++) {
          nothing.push(await importMs(empty));
          own.push(await importMs(file));
        }
        const base = median(nothing);
        const beyond = own.map((ms) => Math.max(0, ms - base));
        figures.push(figure(`imports.time.${name}`, beyond, { unit: 'ms', better: 'lower', orientation: true }));
        bench.log(`imports ${name}: ${median(beyond).toFixed(1)} ms`);
      }
      const probe = await probeMs(folder, importRuns);
      figures.push(figure('imports.cpu.probe', probe, { unit: 'ms', better: 'lower', orientation: true }));
      bench.log(`probe: ${median(probe).toFixed(1)} ms`);
      return figures;
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

const PROGRAM =
  'const start = performance.now(); await import(process.argv[1]); console.log(performance.now() - start);';

async function importMs(file: string): Promise<number> {
  const args = ['--input-type=module', '--eval', PROGRAM, pathToFileURL(file).href];
  const { stdout } = await run(process.execPath, args, { cwd: root, timeout: 30_000 });
  return Number(stdout);
}

/** The processor time of probes beyond that of `node -e 0`, whose runs are between them. */
async function probeMs(folder: string, runs: number): Promise<readonly number[]> {
  const reporter = join(folder, 'cpu.cjs');
  writeFileSync(
    reporter,
    `process.on('exit', () => {
       const { user, system } = process.cpuUsage();
       require('fs').writeSync(1, '\\n' + (user + system) / 1000);
     });`,
  );
  const cpuMs = async (...words: readonly string[]): Promise<number> => {
    const { stdout } = await run(process.execPath, ['--require', reporter, ...words], { timeout: 30_000 });
    return Number(stdout.slice(stdout.lastIndexOf('\n')));
  };
  const server = createServer((_request, response) => void response.end('ok')).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/livez`;
    const starts: number[] = [];
    const probes: number[] = [];
    for (let turn = 0; turn < runs; turn++) {
      starts.push(await cpuMs('--eval', '0'));
      probes.push(await cpuMs(join(root, 'dist/cli.cjs'), 'probe', url));
    }
    const base = median(starts);
    return probes.map((ms) => Math.max(0, ms - base));
  } finally {
    server.close();
  }
}
