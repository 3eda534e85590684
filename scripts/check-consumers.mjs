// Installs the packed package into small projects, as users would, and runs them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NotRun, pack, root, run, runGates, runTool, scratchFolder } from './gate.mjs';

/** The arguments of npm in a project of the gates. */
const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
/** All that an installation of the package brings, in alphabetical order. */
const INSTALLED = ['@bufbuild/protobuf', 'kube-vitals', 'undici', 'yaml'];
/** The size of these files; newer versions of the dependencies count as well. */
const INSTALLED_LIMIT_KIB = 9_260;

const scratch = scratchFolder();
const project = (name) => join(scratch, name);
const says = (output) => {
  const line = output.trim().split('\n').at(-1) ?? '';
  if (!/^health 200, created 201, listed 1$/.test(line)) throw new Error(`the consumer said: ${output}`);
  return line;
};

const NEST = ['common', 'core', 'platform-express', 'platform-fastify'].map((name) => `@nestjs/${name}`);

/** The services in `consumers/frameworks`, each with the packages that it imports, and the arguments of its program. */
const FRAMEWORKS = {
  'node:http': { folder: 'node-http' },
  'Express 4': { folder: 'express-4', packages: { express: 'express4' } },
  'Express 5': { folder: 'express-5', packages: { express: 'express' } },
  Hono: { folder: 'hono', packages: { hono: 'hono', '@hono/node-server': '@hono/node-server' } },
  'Fastify 5': { folder: 'fastify', packages: { fastify: 'fastify' } },
  'Koa 2': { folder: 'koa-2', packages: { koa: 'koa2' } },
  'Koa 3': { folder: 'koa-3', packages: { koa: 'koa' } },
  'h3 2': { folder: 'h3', packages: { h3: 'h3' } },
  'Nest 11 on Express': { folder: 'nest', packages: nestPackages() },
  'Nest 11 on Fastify': { folder: 'nest', args: ['fastify'] },
};

function nestPackages() {
  return Object.fromEntries([...NEST, 'reflect-metadata', 'rxjs'].map((name) => [name, name]));
}

/** The services whose packages are installed for their gate, because the repository has other versions of them or none. */
const OWN_PROJECTS = {
  'Nest 10': { service: 'nest', packages: nestOf('10.4.22') },
  'Nest 12': { service: 'nest', packages: nestOf('12.5.0') },
  // restify 12 is for Node 22 and later; earlier ones do not start on Node 24.
  restify: {
    service: 'restify',
    packages: [`restify@${Number(process.versions.node.split('.')[0]) < 22 ? '11.1.0' : '12.0.0'}`],
  },
};

/** Packages of Nest find one another by name, so that each version needs a project of its own. */
function nestOf(version) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const peers = ['reflect-metadata', 'rxjs'].map((name) => `${name}@${devDependencies[name]}`);
  return [...NEST.map((name) => `${name}@${version}`), ...peers];
}

/** The folder of a compiled service with its own packages; installed on first use. */
function ownProject(name) {
  const { service, packages } = OWN_PROJECTS[name];
  const folder = join(project('frameworks'), `own-${name.toLowerCase().replace(' ', '-')}`);
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  cpSync(join(project('frameworks'), service, 'main.js'), join(folder, 'main.js'));
  try {
    run('npm', [...INSTALL, ...packages], { cwd: folder });
  } catch (error) {
    rmSync(folder, { recursive: true });
    const [reason] = /npm error code \w+/.exec(error.message) ?? ['npm failed'];
    throw new NotRun(`${name} cannot be installed from npm (${reason})`);
  }
  return folder;
}

/** Links packages from the repository's own node_modules into a project, so that nothing has to be installed. */
function link(folder, packages) {
  for (const [name, ownName] of Object.entries(packages)) {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, 'node_modules', ownName), path);
  }
}

/** Test frameworks whose `expect` gets our matcher, each with the packages that have its types. */
const MATCHERS = {
  Jest: { folder: 'jest', packages: ['@types/jest'] },
  'Jest with @jest/globals': { folder: 'jest-globals', packages: ['@jest/globals', 'expect'] },
  Vitest: { folder: 'vitest', packages: ['vitest'] },
};

const matcherGates = {};
for (const [framework, { folder, packages }] of Object.entries(MATCHERS)) {
  matcherGates[`the matcher has its types in ${framework}`] = () => {
    const own = join(project('matchers'), folder);
    link(own, Object.fromEntries(['@types/node', ...packages].map((name) => [name, name])));
    runTool('typescript/bin/tsc', ['-p', own]);
  };
}

/** The output of each: its responses, and how the open watch and the shutdown ended. */
const SERVED = 'health 200, created 201, listed 1, own route, watch 200 ADDED and 0 more, drained true, failures 0';

const frameworkGates = {
  'services on every framework compile'() {
    const folder = project('frameworks');
    link(folder, { '@types/express': '@types/express', '@types/koa': '@types/koa' });
    for (const { folder: name, packages = {} } of Object.values(FRAMEWORKS)) link(join(folder, name), packages);
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    runTool('typescript/bin/tsc', ['-p', folder, ...types]);
  },
};
/** Runs a service and compares its output. */
function serves(folder, args) {
  const said = run(process.execPath, ['main.js', ...args], { cwd: folder }).trim();
  if (said !== SERVED) throw new Error(`the service said: ${said}\nexpected: ${SERVED}`);
}

for (const [framework, { folder, args = [] }] of Object.entries(FRAMEWORKS)) {
  frameworkGates[`${framework}: mounted in one line, and shut down`] = () =>
    serves(join(project('frameworks'), folder), args);
}
for (const [framework, { service }] of Object.entries(OWN_PROJECTS)) {
  const servers = service === 'nest' ? { ' on Express': [], ' on Fastify': ['fastify'] } : { '': [] };
  for (const [suffix, args] of Object.entries(servers)) {
    frameworkGates[`${framework}${suffix}: mounted in one line, and shut down`] = () =>
      serves(ownProject(framework), args);
  }
}

/** The examples of the README that are whole programs, as files of a project. */
function readmePrograms() {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  return [...text.matchAll(/^```ts\n([^]*?\)\.listen\(8080\);\n)```$/gm)].map(([, code]) => code);
}

/** Runs a program on a port of its own until it has responded. */
async function responseOf(code, path, headers) {
  const port = await freePort();
  const file = join(scratch, 'server.mjs');
  writeFileSync(file, code.replace('listen(8080)', `listen(${port})`));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (more) => (log += more));
  const deadline = performance.now() + 15_000;
  try {
    while (child.exitCode === null && performance.now() < deadline) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => pause(20));
      if (response !== undefined) return `${response.status} ${await response.text()}`;
    }
    throw new Error(`no response from ${file}: ${log}`);
  } finally {
    child.kill();
  }
}

/** The size of all files below a folder. */
function bytesBelow(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

await runGates('check-consumers', {
  'install the tarball'() {
    cpSync(join(root, 'tests/package/consumers'), scratch, { recursive: true });
    const { tarball } = pack(scratch);
    writeFileSync(join(scratch, 'package.json'), JSON.stringify({ name: 'consumers', private: true }));
    run('npm', [...INSTALL, tarball], { cwd: scratch });
    const modules = join(scratch, 'node_modules');
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
    const installed = Object.keys(packages).map((path) => path.slice('node_modules/'.length));
    if (installed.sort().join() !== INSTALLED.join()) throw new Error(`it installs ${installed.join(', ')}`);
    const kib = Math.ceil(INSTALLED.reduce((sum, name) => sum + bytesBelow(join(modules, name)), 0) / 1024);
    if (kib > INSTALLED_LIMIT_KIB) throw new Error(`it installs ${kib} KiB, more than ${INSTALLED_LIMIT_KIB}`);
    return `${kib} of ${INSTALLED_LIMIT_KIB} KiB, with ${INSTALLED.length - 1} dependencies`;
  },
  async 'the programs of the README run as they are written'() {
    const [health, both, ...others] = readmePrograms();
    if (both === undefined || others.length > 0) throw new Error('the README has other programs than this gate knows');
    const checks = await responseOf(health, '/readyz?verbose');
    if (!/^200 [^]*^\[\+\]disk ok$/m.test(checks)) throw new Error(checks);
    const headers = { authorization: 'Bearer s3cret' };
    const events = await responseOf(both, '/apis/events.example.com/v1/events', headers);
    if (!/^200 [^]*"kind": ?"EventList"/.test(events)) throw new Error(events);
  },
  'ESM import'() {
    return says(run(process.execPath, ['main.js'], { cwd: project('esm') }));
  },
  'CommonJS require'() {
    return says(run(process.execPath, ['main.js'], { cwd: project('cjs') }));
  },
  'TypeScript, compiled and run'() {
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    runTool('typescript/bin/tsc', ['-p', project('typescript'), ...types]);
    return says(run(process.execPath, ['build/main.js'], { cwd: project('typescript') }));
  },
  'Jest in CommonJS'() {
    runTool('jest/bin/jest.js', [
      '--ci',
      '--rootDir',
      project('jest-cjs'),
      '--config',
      join(project('jest-cjs'), 'jest.config.json'),
    ]);
  },
  ...matcherGates,
  ...frameworkGates,
});
