// Checks the package as npm would publish it: contents, manifest, types as every resolver sees them, size.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { pack, root, run, runGates, runTool, scratchFolder } from './gate.mjs';

// The health entry is for services that need nothing else: raise this limit on purpose only, not to make the check
// pass.
const HEALTH_LIMIT_BYTES = 10_240;
// Without code that is loaded on first use: YAML, protobuf, and the documents about the API.
const SERVICE_LIMIT_BYTES = 82_000;
// With that code, as bundlers without code splitting write it, but without the packages for YAML and protobuf.
const SERVICE_IN_ONE_FILE_LIMIT_BYTES = 97_000;
// Without code that is loaded on first use: the in-process client, and the reports of dropped events.
const RECORDER_LIMIT_BYTES = 6_000;

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const specifiers = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target !== 'string')
  .map(([key]) => manifest.name + key.slice(1));

const scratch = scratchFolder();
let tarball = '';
let files = [];

/** A project with nothing but the package and its dependencies: neither a framework nor its types. */
function makeProject(name, { nodeTypes }) {
  const folder = join(scratch, name);
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, manifest.name), { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(modules, manifest.name)]);
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    symlinkSync(join(root, 'node_modules', dependency), join(modules, dependency));
  }
  if (nodeTypes) {
    mkdirSync(join(modules, '@types'));
    symlinkSync(join(root, 'node_modules/@types/node'), join(modules, '@types/node'));
    symlinkSync(join(root, 'node_modules/undici-types'), join(modules, 'undici-types'));
  }
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}';`);
  const source = `${imports.join('\n')}\nexport const entries: object[] = [${specifiers.map((_, index) => `entry${index}`).join(', ')}];\n`;
  const required = specifiers.map((specifier, index) => `import entry${index} = require('${specifier}');`);
  writeFileSync(join(folder, 'esm.mts'), source);
  writeFileSync(join(folder, 'plain.ts'), source);
  writeFileSync(
    join(folder, 'cjs.cts'),
    `${required.join('\n')}\nexport const entries: object[] = [${specifiers.map((_, index) => `entry${index}`).join(', ')}];\n`,
  );
  writeFileSync(join(folder, 'both.mts'), exchangedTypes());
  return folder;
}

/** Types of what parts of a service pass to one another, although one of them may be CommonJS and the other ESM. */
const EXCHANGED = {
  '': 'ApiServer Authenticate Authorize CachedStore Clock Events EventStore Health HealthCheck Observe StoreError',
  '/client': 'ConnectedTransport ConnectionError EventsCache EventsClient Recorder StatusError',
  '/lifecycle': 'Lifecycle',
  '/metrics': 'Metrics',
  '/node': 'InstalledShutdown NodeListener',
  '/store': 'PagedFeeds StoreEngine',
  '/testing': 'FakeClock TestRecorder',
};

/** The source of a module that assigns each exchanged type of one build to that of the other. */
function exchangedTypes() {
  return Object.entries(EXCHANGED)
    .map(([path, types], index) => {
      const specifier = `'${manifest.name}${path}'`;
      const uses = types
        .split(' ')
        .flatMap((type) => [
          `export const to${type}${index} = (given: cjs${index}.${type}): esm${index}.${type} => given;`,
          `export const from${type}${index} = (given: esm${index}.${type}): cjs${index}.${type} => given;`,
        ]);
      return [
        `import type * as esm${index} from ${specifier};`,
        `import type * as cjs${index} from ${specifier} with { 'resolution-mode': 'require' };`,
        ...uses,
      ].join('\n');
    })
    .join('\n');
}

/**
 * Compiles the emitted declarations themselves: `skipLibCheck` is off.
 *
 * @param compiler the package of the compiler in the repository's node_modules
 */
function compile(resolution, module, sources, nodeTypes, compiler = 'typescript') {
  const folder = makeProject(`${compiler}-${resolution}-${nodeTypes ? 'node' : 'dom'}`, { nodeTypes });
  const compilerOptions = {
    module,
    moduleResolution: resolution,
    target: 'ES2022',
    lib: nodeTypes ? ['ES2023'] : ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: nodeTypes ? ['node'] : [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: sources }));
  runTool(`${compiler}/bin/tsc`, ['-p', folder]);
}

/** The versions of TypeScript that are tested besides the repository's own, which the other gates use. */
const OTHER_COMPILERS = {
  'TypeScript 5.4': 'typescript-5.4',
  'TypeScript 6': 'typescript-6',
  'TypeScript 7': 'typescript-7',
};

const compilerGates = {};
for (const [name, compiler] of Object.entries(OTHER_COMPILERS)) {
  compilerGates[`declarations in ${name}, ESM and CommonJS consumers`] = () => {
    compile('NodeNext', 'NodeNext', ['esm.mts', 'cjs.cts'], true, compiler);
  };
}

await runGates('check-package', {
  'npm pack: the build, the licence, the readme, the changelog, nothing else'() {
    if (!existsSync(join(root, 'dist/index.js'))) throw new Error('dist/ is missing: run "npm run build" first');
    ({ tarball, files } = pack(scratch));
    const expected =
      /^(dist\/[\w.-]+\.(js|cjs|d\.ts|d\.cts)|dist\/cli-licenses\.txt|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
    const strays = files.filter((path) => !expected.test(path));
    if (strays.length > 0) throw new Error(`not expected: ${strays.join(', ')}`);
    const missing = [
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'dist/cli.cjs',
      'dist/cli.js',
      'dist/cli-licenses.txt',
    ].filter((path) => !files.includes(path));
    if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
    return `${files.length} files`;
  },
  'publint --strict'() {
    runTool('publint/src/cli.js', ['run', tarball, '--strict']);
  },
  'are the types wrong, under any resolution'() {
    runTool('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'strict', '--format', 'ascii', '--no-emoji']);
  },
  'declarations under node16, ESM and CommonJS consumers'() {
    compile('Node16', 'Node16', ['esm.mts', 'cjs.cts'], true);
  },
  'declarations under nodenext, ESM and CommonJS consumers, and a service with both'() {
    compile('NodeNext', 'NodeNext', ['esm.mts', 'cjs.cts', 'both.mts'], true);
  },
  'declarations under node10, every sub-path'() {
    compile('Node10', 'CommonJS', ['plain.ts'], true);
  },
  'declarations under bundler'() {
    compile('Bundler', 'ESNext', ['plain.ts'], true);
  },
  'declarations under bundler, without the types of Node'() {
    compile('Bundler', 'ESNext', ['plain.ts'], false);
  },
  ...compilerGates,
  'size of kube-vitals/health, and of createHealth from the root'() {
    return measureHealth();
  },
  'size of createEvents with createHealth'() {
    return measureService();
  },
  'size of createRecorder, given a client'() {
    return measureRecorder();
  },
});

async function measureHealth() {
  const sizes = [];
  for (const specifier of [`${manifest.name}/health`, manifest.name]) {
    sizes.push(await within(HEALTH_LIMIT_BYTES, `export { createHealth } from '${specifier}';`));
  }
  return `${sizes.join(' and ')} of ${HEALTH_LIMIT_BYTES} bytes, minified and compressed`;
}

/** The size of what a service with both parts loads, and its size together with the code behind `import()`. */
async function measureService() {
  const contents = `export { createEvents, createHealth } from '${manifest.name}';`;
  const loaded = await within(SERVICE_LIMIT_BYTES, contents);
  const all = await within(SERVICE_IN_ONE_FILE_LIMIT_BYTES, contents, { lazy: 'inside' });
  return `${loaded} of ${SERVICE_LIMIT_BYTES} bytes, in one file ${all} of ${SERVICE_IN_ONE_FILE_LIMIT_BYTES}, minified and compressed`;
}

/** The size of the recorder where a client is given, without the code behind `import()`. */
async function measureRecorder() {
  const size = await within(RECORDER_LIMIT_BYTES, `export { createRecorder } from '${manifest.name}/client';`);
  return `${size} of ${RECORDER_LIMIT_BYTES} bytes, minified and compressed`;
}

/**
 * The size of what a consumer's file loads, without dependencies, and without code behind `import()` unless `lazy` is
 * `inside`.
 */
async function within(limit, contents, { lazy = 'outside' } = {}) {
  const folder = join(scratch, 'size');
  const installed = join(folder, 'node_modules', manifest.name);
  if (!existsSync(installed)) {
    mkdirSync(installed, { recursive: true });
    run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  }
  const lazyOutside = {
    name: 'lazy-outside',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ kind, path }) =>
        kind === 'dynamic-import' ? { path, external: true } : undefined,
      );
    },
  };
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external: Object.keys(manifest.dependencies),
    plugins: lazy === 'outside' ? [lazyOutside] : [],
    write: false,
    logLevel: 'silent',
  });
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  if (size > limit) throw new Error(`${contents} ${size} bytes minified and compressed, more than ${limit}`);
  return size;
}
