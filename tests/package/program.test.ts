import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { built, entries, manifest } from './package-entries.js';
import { parseSource, root } from './source-files.js';

/** Runs a program of Node; resolves with what it wrote, and its exit code. */
function run(program: string, ...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/** Runs a line of a shell: `$0` is Node, `$1` the program. */
function runShell(line: string): Promise<{ code: number; err: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', line, process.execPath, built('cli.cjs')], (error, _, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), err });
    });
  });
}

describe('the program of the package', () => {
  it('is the file that bin names, and executable', () => {
    expect((manifest as unknown as { bin: object }).bin).toEqual({ 'kube-vitals': 'dist/cli.cjs' });
    expect(readFileSync(built('cli.cjs'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(statSync(built('cli.cjs')).mode & 0o111).toBe(0o111);
  });

  it('probes with this one file and few modules of Node, because a probe is mostly start-up', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'probe-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, 'cli.cjs');
    cpSync(built('cli.cjs'), program);
    const server = createServer((_, res) => res.end('ok')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/livez`;

    const listing = join(folder, 'listing.cjs');
    writeFileSync(listing, `process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));`);
    const { code, out, err } = await run('--require', listing, program, 'probe', url);
    expect([code, out]).toEqual([0, 'ok\n']);
    expect(err).toMatch(/^NativeModule http$/m);
    expect(err).not.toMatch(
      /^NativeModule (https|tls|crypto|fs\/promises|internal\/deps\/undici\/undici|worker_threads)$/m,
    );
  });

  it('refuses a mistyped flag of the probe as its other commands do', async () => {
    const wrong = { code: 2, out: '', err: 'error: unknown flag: --tmeout; see kube-vitals probe --help\n' };
    expect(await run(built('cli.cjs'), 'probe', '--tmeout=1s')).toEqual(wrong);
    const { code, out } = await run(built('cli.cjs'), 'probe', '--help');
    expect([code, out]).toEqual([0, expect.stringContaining('Usage: kube-vitals probe URL [flags]')]);
  });

  it('needs nothing but Node, the files beside it, YAML of the package, and the peers it names', () => {
    const files = readdirSync(join(root, 'dist')).filter((name) => /^cli[.-].*js$/.test(name));
    const beside = [...files, ...entries.map(({ base }) => `${base}.js`)].map((name) => `./${name}`);
    const packages = ['yaml', 'libsql', 'better-sqlite3'];
    const strays = files.flatMap((name) =>
      parseSource(name, readFileSync(built(name), 'utf8'))
        .imports.filter(({ kind }) => kind !== 'type')
        .filter(({ specifier }) => !/^node:|^(crypto|\(computed\))$/.test(specifier))
        .filter(({ specifier }) => !beside.includes(specifier) && !packages.includes(specifier))
        .map(({ specifier }) => `${name}: ${specifier}`),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(strays).toEqual([]);
  });

  it('carries the licences of bundled packages', () => {
    const licences = readFileSync(built('cli-licenses.txt'), 'utf8');
    expect(licences).toMatch(/^@peculiar\/x509 \d\S* \(MIT\)$/m);
    expect(licences).toContain('Permission is hereby granted, free of charge');
  });

  it('refuses a mistyped flag with one line and exit code 2', async () => {
    expect(await run(built('cli.cjs'), 'serve', '--hlep')).toEqual({
      ...{ code: 2, out: '' },
      err: 'error: unknown flag: --hlep; see kube-vitals serve --help\n',
    });
    expect(await run(built('cli.cjs'), '--version')).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
  });

  it.each(['serve --help', '--version'])(
    'fails with code 1 and says why if the output of %s cannot be written',
    async (words) => {
      expect(await runShell(`"$0" "$1" ${words} > /dev/full`)).toEqual({
        code: 1,
        err: expect.stringMatching(/^error: stdout cannot be written: .*ENOSPC.*\n$/) as string,
      });
      expect(await runShell(`"$0" "$1" ${words} > /dev/full 2>&1`)).toMatchObject({ code: 1 });
    },
  );

  it('fails with code 1 if only a part of its output fits into a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'output-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const script = `ulimit -f 1; exec "$0" "$1" serve --help > ${join(folder, 'out')}`;
    expect(await runShell(script)).toMatchObject({ code: 1, err: expect.stringContaining('EFBIG') as string });
    expect(await runShell(`exec "$0" "$1" serve --help > ${join(folder, 'all')}`)).toMatchObject({ code: 0 });
    const { out } = await run(built('cli.cjs'), 'serve', '--help');
    expect(readFileSync(join(folder, 'all'), 'utf8')).toBe(out);
  });

  it('names the flag of an unusable data directory', async () => {
    const { code, out, err } = await run(built('cli.cjs'), 'serve', '--data-dir', built('cli.js'));
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^error: cannot create the directory .*; choose another directory with --data-dir\n$/);
  });
});

describe('npm start', () => {
  /** A repository with this script and a build that prints its arguments. */
  function newRepository(): { readonly start: string; touch: (path: string, seconds: number) => void } {
    const folder = mkdtempSync(join(tmpdir(), 'start-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of ['src/deep', 'scripts', 'dist']) mkdirSync(join(folder, name), { recursive: true });
    cpSync(join(root, 'scripts/start.mjs'), join(folder, 'scripts/start.mjs'));
    for (const name of ['src/deep/a.ts', 'tsup.config.ts', 'scripts/build-cli.mjs'])
      writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'dist/cli.js'), 'console.log(process.argv.slice(2).join(" "))');
    const touch = (path: string, seconds: number): void => utimesSync(join(folder, path), seconds, seconds);
    const inputs = ['src/deep/a.ts', 'src/deep', 'src', 'tsup.config.ts', 'scripts/build-cli.mjs', 'package.json'];
    for (const path of inputs) touch(path, 1_000);
    touch('dist/cli.js', 2_000);
    return { start: join(folder, 'scripts/start.mjs'), touch };
  }

  it('uses a build that is newer than the sources as it is', async () => {
    const { start } = newRepository();
    expect(await run(start, '--secure-port', '0')).toEqual({ code: 0, out: 'serve --secure-port 0\n', err: '' });
  });

  it.each([
    ['--help', { code: 0, out: expect.stringContaining('--secure-port'), err: '' }],
    ['--hlep', { code: 2, out: '', err: 'error: unknown flag: --hlep; see kube-vitals serve --help\n' }],
    [
      '--secure-port=x',
      { code: 2, out: '', err: expect.stringMatching(/^error: invalid argument "x" for "--secure-port" flag/) },
    ],
  ])('handles %s without a build', async (flag, response) => {
    const { start, touch } = newRepository();
    const folder = dirname(dirname(start));
    cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    touch('src/cli/main.ts', 3_000);
    expect(await run(start, flag)).toEqual(response);
    expect(readdirSync(join(folder, 'dist'))).toEqual(['cli.js']);
  });

  it('builds what is missing, without declarations, and shows its progress', async () => {
    const { start } = newRepository();
    const folder = dirname(dirname(start));
    rmSync(join(folder, 'dist'), { recursive: true });
    mkdirSync(join(folder, 'node_modules/tsup/dist'), { recursive: true });
    writeFileSync(
      join(folder, 'node_modules/tsup/dist/cli-default.js'),
      'if (!process.argv.includes("--no-dts")) process.exit(3);',
    );
    writeFileSync(
      join(folder, 'scripts/build-cli.mjs'),
      `import { mkdirSync, writeFileSync } from 'node:fs';
       await new Promise((done) => setTimeout(done, 1_200));
       mkdirSync('dist');
       writeFileSync('dist/cli.js', 'console.log("started")');`,
    );
    const { code, out, err } = await run(start);
    expect([code, out]).toEqual([0, 'started\n']);
    expect(err).toMatch(/^building kube-vitals, .*: the library \.* the program \.+ built in \d+\.\d s\n$/);
  });

  /** Starts a server that prints each SIGTERM and ends 1.5 s after the first, below a shell as npm starts one. */
  async function startBelowShell() {
    const { start } = newRepository();
    writeFileSync(
      join(dirname(dirname(start)), 'dist/cli.js'),
      `process.on('SIGTERM', () => { console.log('SIGTERM'); setTimeout(() => process.exit(), 1_500); });
       setInterval(() => {}, 1_000);
       console.log('serving');`,
    );
    // The shell has more to do after the server, so that it starts a process for it.
    const shell = spawn('sh', ['-c', '"$0" "$1"; exit', process.execPath, start], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, npm_lifecycle_event: 'start' },
    });
    const pid = Number(shell.pid);
    onTestFinished(() => {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // The server has ended, as it should.
      }
    });
    const [first] = (await once(shell.stdout, 'data')) as [Buffer];
    expect(String(first)).toBe('serving\n');
    return { pid, rest: text(shell.stdout) };
  }

  it('ends the server when npm has ended its shell, which passes no signal on', async () => {
    const { pid, rest } = await startBelowShell();
    process.kill(pid, 'SIGTERM');
    expect(await rest).toBe('SIGTERM\n');
  });

  it('passes no second signal to a server that has got the one for all processes', async () => {
    const { pid, rest } = await startBelowShell();
    process.kill(-pid, 'SIGTERM');
    expect(await rest).toBe('SIGTERM\n');
  });

  it.each(['src/deep/a.ts', 'src/deep', 'package.json'])('does not use one that is older than %s', async (path) => {
    const { start, touch } = newRepository();
    touch(path, 3_000);
    expect(await run(start)).toEqual({
      ...{ code: 1, out: '' },
      err: 'error: the tools of the build are missing; run npm ci first\n',
    });
  });
});
