// Installs the packed package and each runtime besides Node into a fresh project, and runs a service there.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { exerciseService } from './exercise-service.mjs';
import { NotRun, pack, root, run, runGates, scratchFolder } from './gate.mjs';

/** How long a runtime may take to start, and to end after SIGTERM, in milliseconds. */
const PATIENCE_MS = 15_000;
const scratch = scratchFolder();
const platform = `${process.platform}-${process.arch}`;

/** The packages that contain the programs, as the packages `bun`, `deno` and `workerd` name them; they need no install script. */
const RUNTIMES = {
  bun: {
    version: '1.4.5',
    file: 'bin/bun',
    packages: {
      'linux-x64': '@oven/bun-linux-x64-baseline', // also for processors without AVX2
      'linux-arm64': '@oven/bun-linux-aarch64',
      'darwin-x64': '@oven/bun-darwin-x64',
      'darwin-arm64': '@oven/bun-darwin-aarch64',
    },
  },
  deno: {
    version: '2.9.6',
    file: 'deno',
    packages: {
      'linux-x64': '@deno/linux-x64-glibc',
      'linux-arm64': '@deno/linux-arm64-glibc',
      'darwin-x64': '@deno/darwin-x64',
      'darwin-arm64': '@deno/darwin-arm64',
    },
  },
  workerd: {
    version: '1.20261117.1',
    file: 'bin/workerd',
    packages: {
      'linux-x64': '@cloudflare/workerd-linux-64',
      'linux-arm64': '@cloudflare/workerd-linux-arm64',
      'darwin-x64': '@cloudflare/workerd-darwin-64',
      'darwin-arm64': '@cloudflare/workerd-darwin-arm64',
    },
  },
};

let tarball;
/** The folder of a project with the package and one runtime, and the runtime's program. Installed by the first gate of each. */
const installed = new Map();

function install(name) {
  const { version, file, packages } = RUNTIMES[name];
  const runtime = packages[platform];
  if (runtime === undefined) throw new NotRun(`npm has no ${name} for ${platform}`);
  const project = join(scratch, name);
  cpSync(join(root, 'tests/package/runtimes'), project, { recursive: true });
  tarball ??= pack(scratch).tarball;
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  run('npm', ['install', ...flags, tarball], { cwd: project });
  try {
    run('npm', ['install', ...flags, `${runtime}@${version}`], { cwd: project });
  } catch (error) {
    const [reason] = /npm error code \w+/.exec(error.message) ?? ['npm failed'];
    throw new NotRun(`${runtime}@${version} cannot be installed from npm (${reason})`);
  }
  const program = join(project, 'node_modules', runtime, file);
  chmodSync(program, 0o755);
  const said = run(program, ['--version'], { cwd: project }).trim().split('\n')[0];
  installed.set(name, { project, program });
  return said;
}

const projectOf = (name) => {
  const found = installed.get(name);
  if (found === undefined) throw new NotRun(`${name} is not installed, see above`);
  return found;
};

/** Starts a runtime; resolves once it has printed its ports. */
async function start(name, args, servers = 1) {
  const { project, program } = projectOf(name);
  const child = spawn(program, args, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'], timeout: 4 * PATIENCE_MS });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  let output = '';
  const ports = await new Promise((resolve, reject) => {
    const onOutput = (text) => {
      output += text;
      const found = [...output.matchAll(/^(?:port |.*"port":)(\d+)/gm)].map(([, port]) => port);
      if (found.length === servers) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', onOutput);
    child.stderr.setEncoding('utf8').on('data', onOutput);
    ended.then((code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
  });
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    output: () => output,
    /** Sends SIGTERM, and resolves with the exit code. */
    async stop() {
      child.kill('SIGTERM');
      const hanging = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      const code = await ended;
      clearTimeout(hanging);
      return code;
    },
  };
}

/** A service that shuts down on SIGTERM by itself, with a watch open. */
async function runService(name, args, more) {
  const service = await start(name, args);
  let code;
  const shutDown = async () => {
    code = service.stop();
    await code;
  };
  try {
    await exerciseService(service.urls[0], { shutDown, ...more });
  } finally {
    code ??= service.stop();
    await code;
  }
  // Deno warns of a change in its next release; the bridge relies on neither behaviour.
  const lines = service.output().replace(/^Deno\.serve: request\.signal .*\n/gm, '');
  assert.deepEqual([await code, lines.trim().split('\n').slice(1)], [0, ['closed']]);
}

async function runWorker() {
  const { project } = projectOf('workerd');
  await build({
    entryPoints: [join(project, 'worker.js')],
    outfile: join(project, 'worker.bundle.js'),
    bundle: true,
    format: 'esm',
    external: ['node:*'],
    logLevel: 'error',
  });
  const service = await start('workerd', ['serve', 'worker.capnp', '--control-fd=1'], 2);
  const shutDown = async (url) => {
    const response = await fetch(`${url}/shutdown`);
    assert.equal(await response.text(), 'closed');
    const { status } = await fetch(`${url}/readyz`);
    assert.equal(status, 500);
  };
  try {
    await Promise.all(service.urls.map((url) => exerciseService(url, { shutDown: () => shutDown(url) })));
  } finally {
    await service.stop();
  }
  assert.equal(service.output().trim().split('\n').length, 2, service.output());
}

/** A client, with the server that it uses in the same process, which ends by itself. */
function runClient(name, args) {
  const { project, program } = projectOf(name);
  assert.equal(run(program, args, { cwd: project }), 'closed\n');
}

/** The permissions that docs/guides/other-runtimes.md names. */
const DENO = ['run', '--no-remote', '--allow-net', '--allow-env=LOG_TOKENS,LOG_STREAM'];

await runGates('check-runtimes', {
  'Bun installs from npm': () => install('bun'),
  'Bun.serve': () => runService('bun', ['bun.js'], { headersFirst: false }),
  'node:http in Bun': () => runService('bun', ['node-http.js']),
  'kube-vitals/client in Bun': () => runClient('bun', ['client.js']),
  'kube-vitals/etcd over the gateway in Bun': () => runClient('bun', ['etcd-gateway.js']),
  'Deno installs from npm': () => install('deno'),
  'Deno.serve': () => runService('deno', [...DENO, 'deno.js']),
  'node:http in Deno': () => runService('deno', [...DENO, '--allow-sys', 'node-http.js']),
  'kube-vitals/client in Deno': () =>
    runClient('deno', ['run', '--no-remote', '--allow-net', '--allow-sys', '--allow-env', 'client.js']),
  'kube-vitals/etcd over the gateway in Deno': () =>
    runClient('deno', ['run', '--no-remote', '--allow-net', '--allow-sys', '--allow-env', 'etcd-gateway.js']),
  'workerd installs from npm': () => install('workerd'),
  'a Worker with a Durable Object in workerd': () => runWorker(),
});
