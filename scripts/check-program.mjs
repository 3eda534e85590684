// Runs the program of the packed package as its users do: installed into an empty project, through npx, on each Node given as
// `node scripts/check-program.mjs /path/to/node …`, or on this one.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { basename, dirname, join, resolve } from 'node:path';
import { pack, run, runGates, scratchFolder } from './gate.mjs';

/** How long anything may take before it counts as hanging, in milliseconds. */
const PATIENCE_MS = 60_000;
/** A probe is started every few seconds: most of its processor time is the evaluation of what it loads. */
const PROBE_MAX_BYTES = 15_000;
/** The modules of Node that a probe may load beyond those of `node:http`. An ES module loads 27 more, with Node 24 undici too. */
const PROBE_MODULES = /^internal\/(util\/parse_args\/|fs\/sync_write_stream$)/;
const scratch = scratchFolder();
const project = join(scratch, 'empty');
/** Neither the program nor npx finds a package of this repository. */
const env = { npm_config_offline: 'true', npm_config_update_notifier: 'false', NODE_PATH: '' };
const programs = process.argv.length > 2 ? process.argv.slice(2).map((path) => resolve(path)) : [process.execPath];

/** The environment in which `node` is this one. */
const withNode = (node) => ({ ...process.env, ...env, PATH: `${dirname(node)}:${process.env.PATH}` });

/** Runs the program; resolves with its output and exit code. */
async function finished(node, ...words) {
  const child = spawn('npx', ['kube-vitals', ...words], { cwd: project, env: withNode(node), timeout: PATIENCE_MS });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (written.err += text));
  const [code] = await once(child, 'close');
  // npm may have warnings of its own.
  return { code, out: written.out, err: written.err.replace(/^npm .*\n/gm, '') };
}

/** Starts the server on free ports; resolves with its banner, or rejects when it ends first. */
async function serve(node, dataDir, ...flags) {
  const program = join(project, 'node_modules/.bin/kube-vitals');
  const words = [program, 'serve', '--secure-port=0', '--insecure-port=0', '--data-dir', dataDir, ...flags];
  const child = spawn(node, words, { cwd: project, env: withNode(node), timeout: PATIENCE_MS });
  let banner = '';
  let log = '';
  const ended = once(child, 'close').then(([code]) => code);
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text));
  await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      banner += text;
      if (/^Ctrl-C ends it\.$/m.test(banner)) resolve();
    });
    ended.then((code) => reject(new Error(`it ended with ${code}: ${log}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { banner, stop };
}

/** The output of the printed curl command: events over TLS, with the printed token and authority. */
async function eventsOf(banner) {
  const [, ca, token, url] = /curl --cacert (\S+) -H "Authorization: Bearer \$\(cat (\S+)\)" (\S+)/.exec(banner);
  const headers = { authorization: `Bearer ${readFileSync(token, 'utf8').trim()}` };
  const asked = request(url, { ca: readFileSync(ca), headers, agent: false }).end();
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  assert.equal(response.statusCode, 200, text);
  return JSON.parse(text).items.map(({ reason }) => reason);
}

const ready = async (banner) => {
  const [, url] = /curl '(http:\/\/[^']+\/readyz)\?verbose'/.exec(banner);
  const response = await fetch(url);
  assert.deepEqual([response.status, await response.text()], [200, 'ok']);
};

/** What a run of Node has loaded at its end: files, and modules of Node itself. */
function loadedBy(node, ...words) {
  const written = execFileSync(node, ['--require', join(scratch, 'loaded.cjs'), ...words], {
    env: withNode(node),
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  return JSON.parse(written.trim().split('\n').at(-1));
}

/** The files that a probe loads, and the modules of Node that it loads and a program with `node:http` does not. */
async function loadedByProbe(node) {
  writeFileSync(
    join(scratch, 'loaded.cjs'),
    `process.on('exit', () => {
       const files = Object.keys(require.cache).filter((file) => file !== __filename);
       const modules = process.moduleLoadList.map((name) => name.replace(/^NativeModule /, ''));
       require('fs').writeSync(1, JSON.stringify({ files, modules }) + '\\n');
     });`,
  );
  const program = join(project, 'node_modules/kube-vitals/dist/cli.cjs');
  // In another process, because this one is blocked while it waits for the probe.
  const server = spawn(process.execPath, [
    '-e',
    `require('http').createServer((_, res) => res.end('ok')).listen(0, '127.0.0.1', function () { console.log(this.address().port); })`,
  ]);
  try {
    const [port] = await once(server.stdout.setEncoding('utf8'), 'data');
    const withHttp = new Set(loadedBy(node, '-e', `require('http'); require('process').stdout`).modules);
    const { files, modules } = loadedBy(node, program, 'probe', `http://127.0.0.1:${port.trim()}/livez`);
    return { files, modules: modules.filter((name) => !withHttp.has(name)) };
  } finally {
    server.kill();
  }
}

/** The gates for the program on one Node. Where events are kept depends on whether that has a built-in SQLite. */
function gatesOf(node) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const [major, minor] = version.slice(1).split('.').map(Number);
  const hasSqlite = major > 22 || (major === 22 && minor >= 13);
  const dataDir = join(scratch, `data-${version}`);
  const gates = {
    'shows its help and its version, and names a flag it does not know': async () => {
      const help = await finished(node, 'serve', '--help');
      assert.match(help.out, /^Usage: kube-vitals serve \[flags\]$/m, JSON.stringify(help));
      assert.equal(help.code, 0);
      assert.match((await finished(node, '--version')).out, /^\d+\.\d+\.\d+\n$/);
      const wrong = await finished(node, 'serve', '--hlep');
      assert.deepEqual(wrong, { code: 2, out: '', err: 'error: unknown flag: --hlep; see kube-vitals serve --help\n' });
    },
    'loads one small file and node:http for a probe': async () => {
      const { files, modules } = await loadedByProbe(node);
      assert.deepEqual(
        files.map((file) => basename(file)),
        ['cli.cjs'],
      );
      const bytes = statSync(files[0]).size;
      assert.ok(bytes <= PROBE_MAX_BYTES, `${bytes} bytes`);
      assert.deepEqual(
        modules.filter((name) => !PROBE_MODULES.test(name)),
        [],
      );
      return `${bytes} bytes`;
    },
    'serves health, events with the token that it prints, and shows them in the terminal': async () => {
      const { banner, stop } = await serve(node, dataDir);
      try {
        await ready(banner);
        assert.deepEqual(await eventsOf(banner), ['Started']);
        if (hasSqlite) assert.ok(banner.includes(`Events are kept in ${join(dataDir, 'events.db')}`), banner);
        else
          assert.match(banner, /kept in memory and are lost when the server ends\.\n.*npm install kube-vitals libsql/);
        for (const output of ['table', 'wide', 'json', 'yaml']) {
          const kubeconfig = join(dataDir, 'kubeconfig');
          const shown = await finished(node, 'events', '--kubeconfig', kubeconfig, '-A', '-o', output);
          assert.deepEqual([shown.code, shown.err], [0, ''], output);
          assert.match(shown.out, /Started/, output);
        }
      } finally {
        assert.equal(await stop(), 0);
      }
    },
  };
  if (!hasSqlite) {
    gates['says what to install where SQLite is asked for'] = async () => {
      const file = join(scratch, 'asked.db');
      await assert.rejects(
        serve(node, dataDir, `--store=sqlite:${file}`),
        /ended with 1: error: --store: .*npm install libsql/,
      );
    };
    return { version, gates };
  }
  gates['shows its events after a restart'] = async () => {
    const { banner, stop } = await serve(node, dataDir);
    try {
      assert.deepEqual((await eventsOf(banner)).sort(), ['ShutdownStarted', 'Started', 'Started']);
    } finally {
      assert.equal(await stop(), 0);
    }
  };
  gates['copies events into another file, and finds them there again'] = async () => {
    const copy = ['copy', `sqlite:${join(dataDir, 'events.db')}`, `sqlite:${join(scratch, `copy-${version}.db`)}`];
    const first = await finished(node, ...copy);
    assert.deepEqual([first.code, first.err], [0, '']);
    assert.match(first.out, /^4 copied, 0 already there/);
    assert.match((await finished(node, ...copy)).out, /^0 copied, 4 already there/);
  };
  return { version, gates };
}

const gates = {
  'npm install of the tarball brings the program'() {
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
    const { tarball } = pack(scratch);
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
      cwd: project,
    });
    assert.ok(existsSync(join(project, 'node_modules/.bin/kube-vitals')));
    for (const name of ['@peculiar/x509', 'libsql']) assert.ok(!existsSync(join(project, 'node_modules', name)), name);
  },
};
for (const node of programs) {
  const { version, gates: more } = gatesOf(node);
  for (const [title, gate] of Object.entries(more)) gates[`${version} ${title}`] = gate;
}
await runGates('check-program', gates);
