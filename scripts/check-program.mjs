// Runs the program of the packed package as its users do: installed into an empty project, through npx, on each Node given as
// `node scripts/check-program.mjs /path/to/node …`, or on this one.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import { pack, run, runGates, scratchFolder } from './gate.mjs';

/** How long anything may take before it counts as hanging, in milliseconds. */
const PATIENCE_MS = 60_000;
/**
 * The most processor time of a probe beyond the start of Node: twice that on a quiet machine. As an ES module it took
 * 30 to 50.
 */
const PROBE_LIMIT_MS = 30;
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

/** The processor time of a run of Node, in milliseconds. */
function processorTime(node, ...words) {
  const written = execFileSync(node, ['--require', join(scratch, 'cpu.cjs'), ...words], {
    env: withNode(node),
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  return Number(written.trim().split('\n').at(-1));
}

/** The processor time of a probe and of an empty program, in milliseconds: medians of alternating runs. */
async function costOfProbe(node) {
  writeFileSync(
    join(scratch, 'cpu.cjs'),
    `process.on('exit', () => { const { user, system } = process.cpuUsage(); require('fs').writeSync(1, (user + system) / 1000 + '\\n'); });`,
  );
  const program = join(project, 'node_modules/kube-vitals/dist/cli.cjs');
  // In another process, because this one is blocked while it waits for the probe.
  const server = spawn(process.execPath, [
    '-e',
    `require('http').createServer((_, res) => res.end('ok')).listen(0, '127.0.0.1', function () { console.log(this.address().port); })`,
  ]);
  try {
    const [port] = await once(server.stdout.setEncoding('utf8'), 'data');
    const times = Array.from({ length: 11 }, () => [
      processorTime(node, '-e', '0'),
      processorTime(node, program, 'probe', `http://127.0.0.1:${port.trim()}/livez`),
    ]);
    // The least of each: a machine that is busy or throttled adds more to the longer one.
    const [start, probe] = [0, 1].map((which) => Math.min(...times.map((pair) => pair[which])));
    return { start, probe };
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
    'probes with little more than the start of Node': async () => {
      const { start, probe } = await costOfProbe(node);
      const remark = `${probe.toFixed()} ms of processor time, ${start.toFixed()} of them for node -e 0`;
      assert.ok(probe - start <= PROBE_LIMIT_MS, remark);
      return remark;
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
