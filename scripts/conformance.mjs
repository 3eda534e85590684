// Replays the recorded exchanges of tests/conformance/corpus against the standalone server, a process with TLS, files
// of tokens and policies and a store on disk, and prints totals by area. `npm test` replays them too, against a server
// in its own process (tests/conformance/corpus.test.ts). Several lanes run at once, and each has a server of its own:
// some exchanges expect a list's revision to be that of its newest event, which another lane's write would raise.
//   npm run conformance                 everything
//   npm run conformance -- --only ID    scenarios, as --only of the replay selects them
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verdictOf } from '../tests/conformance/recorded.ts';

const CORPUS = fileURLToPath(new URL('../tests/conformance/corpus/', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const LANES = Math.max(2, cpus().length) * 2;

const argument = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};

async function startServer(dataDir) {
  const flags = {
    'api-domain': 'k8s.io',
    'secure-port': '0',
    'insecure-port': 'off',
    'data-dir': dataDir,
    'cert-dir': join(dataDir, 'certs'),
    'token-auth-file': join(CORPUS, 'tokens.csv'),
    'authorization-mode': 'ABAC',
    'authorization-policy-file': join(CORPUS, 'policy.jsonl'),
  };
  const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const base = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      printed += chunk;
      const url = /on (https:\/\/\S+)/.exec(printed)?.[1];
      if (url) resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', (chunk) => (printed += chunk));
    child.on('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${printed}`)));
  });
  return { child, base };
}

/** One replay of some scenarios. */
function replay(base, ids) {
  const words = [
    'replay.mjs',
    '--base',
    base,
    '--corpus',
    'corpus.json',
    '--strict',
    '--json',
    '--only',
    ids.join(','),
  ];
  const child = spawn(process.execPath, words, { cwd: CORPUS, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.on('close', () => {
      try {
        resolve(JSON.parse(output).results);
      } catch (error) {
        reject(new Error(`the replay printed no results: ${error.message}\n${output.slice(0, 500)}`));
      }
    });
  });
}

async function chosen() {
  const { scenarios } = JSON.parse(await readFile(join(CORPUS, 'corpus.json'), 'utf8'));
  const { select } = await import(join(CORPUS, 'cli.mjs'));
  return select(scenarios, argument('only')).map(({ id }) => id);
}

/** Replays some scenarios, one after the other, against a server started for them. */
async function lane(ids) {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-vitals-conformance-'));
  const { child, base } = await startServer(dataDir);
  try {
    return await replay(base, ids);
  } finally {
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    await rm(dataDir, { recursive: true, force: true });
  }
}

const ids = await chosen();
const lanes = Array.from({ length: Math.min(LANES, ids.length) }, (_, at) =>
  ids.filter((_id, index) => index % LANES === at),
);
const results = (await Promise.all(lanes.map(lane))).flat();

for (const result of results) {
  const { pass, decided } = verdictOf(result);
  result.pass = pass;
  if (pass && decided) console.log(`otherwise on purpose: ${result.area}/${result.id} ${decided}`);
}

const areas = new Map();
for (const { area, pass } of results) {
  const totals = areas.get(area) ?? { pass: 0, fail: 0 };
  totals[pass ? 'pass' : 'fail']++;
  areas.set(area, totals);
}
for (const { id, area, pass, first, error } of results) {
  if (!pass)
    console.log(`FAIL ${area}/${id}${first ? ` step ${first.step}: ${first.name}` : ''}${error ? ` ${error}` : ''}`);
}
console.log('');
for (const [area, { pass, fail }] of [...areas].sort()) console.log(`${area.padEnd(18)} ${pass} pass, ${fail} fail`);
const passed = results.filter(({ pass }) => pass).length;
console.log(`${passed} passed, ${results.length - passed} failed`);
if (process.env.RESULTS_DIR) {
  const counts = JSON.stringify({ passed, failed: results.length - passed });
  await writeFile(join(process.env.RESULTS_DIR, 'conformance.json'), counts);
}
process.exitCode = passed === results.length && passed > 0 ? 0 : 1;
