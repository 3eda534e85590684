import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { createHealth } from '../../src/health.js';
import { toNodeListener } from '../../src/node.js';
import { probeCommand } from '../../src/cli/probe/probe-command.js';
import { parseMarkdown } from './markdown.js';
import { built } from './package-entries.js';
import { root } from './source-files.js';

/** The code of a page in one language. */
function blocksIn(path: string, language: string): readonly string[] {
  const found = parseMarkdown(path, readFileSync(join(root, path), 'utf8')).blocks;
  return found.filter((block) => block.language === language).map(({ code }) => code);
}

/** The code of a guide in one language. */
const blocksOf = (guide: string, language: string): readonly string[] => blocksIn(`docs/guides/${guide}.md`, language);

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

interface Probes {
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly (Probes & {
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
          readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
        })[];
      };
    };
  };
}

/** The value of a numeric option in the code of a guide. */
const option = (code: string, name: string): number =>
  Number(new RegExp(`\\b${name}: ([\\d_]+)`).exec(code)?.[1]?.replaceAll('_', ''));

/** The numbers in the first text that matches. */
function numbersIn(text: string, pattern: RegExp): readonly number[] {
  const [found] = pattern.exec(text) ?? expect.unreachable(`there is no ${pattern} in the page`);
  return [...found.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** How long the readiness probe takes to notice that a pod is not ready, in milliseconds. */
const noticedMs = ({ readinessProbe: { periodSeconds, failureThreshold } }: Probes): number =>
  periodSeconds * failureThreshold * 1_000;

/** The `timeoutMs` of a check that sets none. */
const DEFAULT_CHECK_TIMEOUT_MS = 2_000;

describe.each([
  ['the Kubernetes guide', 'docs/guides/kubernetes.md'],
  ['the README', 'README.md'],
])('the probes of %s', (_page, path) => {
  const code = blocksIn(path, 'ts').join('\n');
  const manifest = blocksIn(path, 'yaml').find((block) => block.includes('startupProbe:')) ?? '';
  const parsed = parse(manifest) as Partial<Deployment> & Probes;
  const probes = parsed.spec?.template.spec.containers[0] ?? parsed;
  const { startupProbe, livenessProbe, readinessProbe } = probes;

  it('use /livez to decide about restarts, and /readyz to decide about sending requests', () => {
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/livez', '/livez', '/readyz']);
  });

  it('wait longer than the slowest check', () => {
    const slowestMs = Math.max(DEFAULT_CHECK_TIMEOUT_MS, option(code, 'timeoutMs') || 0);
    for (const { timeoutSeconds } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(timeoutSeconds * 1_000).toBeGreaterThan(slowestMs);
    }
  });

  it('detect that the service is not ready before its shutdown refuses anything', () => {
    expect(noticedMs(probes)).toBeGreaterThan(0);
    expect(option(code, 'delayMs')).toBeGreaterThan(noticedMs(probes));
  });

  it('have the numbers that the comments explain', () => {
    const { failureThreshold: failures, periodSeconds: period } = startupProbe;
    expect(numbersIn(manifest, /\d+ × \d+ s/)).toEqual([failures, period]);
    const { failureThreshold, periodSeconds } = livenessProbe;
    const restart = [failureThreshold, failureThreshold * periodSeconds];
    expect(numbersIn(manifest, /after \d+ failures in \d+ s/)).toEqual(restart);
    expect(manifest).toMatch(/at the first failure/);
    expect(readinessProbe.failureThreshold).toBe(1);
  });
});

it('the probes of the README use the port on which its service listens', () => {
  const code = blocksIn('README.md', 'ts').find((block) => block.includes(".add({ name: 'disk'")) ?? '';
  const manifest = blocksIn('README.md', 'yaml').find((block) => block.includes('startupProbe:')) ?? '';
  const probes = Object.values(parse(manifest) as Readonly<Record<string, Probe>>);
  expect(probes).toHaveLength(3);
  for (const { httpGet } of probes) expect(code).toContain(`.listen(${httpGet.port})`);
});

describe('the Kubernetes guide', () => {
  const page = readFileSync(join(root, 'docs/guides/kubernetes.md'), 'utf8');
  const [code = ''] = blocksOf('kubernetes', 'ts');
  const [manifest = '', withHook = ''] = blocksOf('kubernetes', 'yaml');
  const pod = (parse(manifest) as Deployment).spec.template.spec;
  const container = pod.containers[0] as Deployment['spec']['template']['spec']['containers'][0];
  const seconds = ['delayMs', 'drainTimeoutMs', 'closeTimeoutMs'].map((name) => option(code, name) / 1_000);

  it('gives the pod longer than the whole shutdown takes', () => {
    expect(sum(seconds)).toBeGreaterThan(0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(sum(seconds));
    expect(numbersIn(manifest, /# delay \d+ \+ drain \d+ \+ close \d+, and a reserve/)).toEqual(seconds);
  });

  it('has the probes on the port of the service', () => {
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(probe.httpGet.port).toBe(container.ports[0]?.name);
    }
    expect(code).toContain(`listen(${container.ports[0]?.containerPort},`);
  });

  it('calculates its example with the numbers of its code', () => {
    const { readinessProbe, startupProbe } = container;
    const [period, failures, spread, delay] = numbersIn(page, /\d+ s × \d+ \+ \d+ s = \d+ s/);
    expect([period, failures, delay]).toEqual([
      readinessProbe.periodSeconds,
      readinessProbe.failureThreshold,
      seconds[0],
    ]);
    expect(noticedMs(container) / 1_000 + (spread ?? NaN)).toBe(delay);
    const grace = numbersIn(page, /\d+ \+ \d+ \+ \d+ \+ \d+ = \d+ s/);
    expect(grace.slice(0, 3)).toEqual(seconds);
    expect([sum(grace.slice(0, 4)), grace[4]]).toEqual([grace[4], pod.terminationGracePeriodSeconds]);
    expect(numbersIn(page, /\d+ s > \d+ s/)).toEqual([
      readinessProbe.timeoutSeconds,
      option(code, 'timeoutMs') / 1_000,
    ]);
    const [longestStart] = numbersIn(page, /covers the slowest start \| \d+ s/);
    expect(longestStart).toBe(startupProbe.periodSeconds * startupProbe.failureThreshold);
  });

  it('counts a preStop hook towards the delay and the grace period', () => {
    const hooked = (parse(withHook) as Deployment).spec.template.spec;
    const hook = hooked.containers[0]?.lifecycle.preStop.sleep.seconds ?? NaN;
    const [inText, delayMs] = numbersIn(page.replaceAll('_', ''), /a hook that takes \d+ s and\n`delayMs: \d+`/);
    const delay = (delayMs ?? NaN) / 1_000;
    expect(inText).toBe(hook);
    expect(hook + delay).toBe(seconds[0]);
    const parts = numbersIn(withHook, /# preStop \d+ \+ delay \d+ \+ drain \d+ \+ close \d+, and a reserve/);
    expect(parts).toEqual([hook, delay, ...seconds.slice(1)]);
    expect(hooked.terminationGracePeriodSeconds).toBeGreaterThan(sum(parts));
    expect(withHook).toContain(`[sleep, '${hook}']`);
  });
});

it.each([
  ['docker', 'yaml', /stop_grace_period: \d+s/],
  ['systemd', 'ini', /TimeoutStopSec=\d+/],
] as const)('the %s guide waits longer than the shutdown that it explains takes', (guide, language, setting) => {
  const code = blocksOf(guide, language).join('\n');
  const parts = numbersIn(code, /# delayMs \d+ s \+ drainTimeoutMs \d+ s \+ closeTimeoutMs \d+ s, and a reserve/);
  expect(numbersIn(code, setting)[0]).toBeGreaterThan(sum(parts));
  const [service = ''] = blocksOf('kubernetes', 'ts');
  expect(parts.map((seconds) => seconds * 1_000)).toEqual(
    ['delayMs', 'drainTimeoutMs', 'closeTimeoutMs'].map((name) => option(service, name)),
  );
});

describe('the guides that call the probe', () => {
  it.each([
    ['docker', 'dockerfile'],
    ['systemd', 'ini'],
  ])('%s has command lines that the probe takes', (guide, language) => {
    const lines = blocksOf(guide, language).flatMap((code) =>
      code.split('\n').filter((line) => line.includes('probe')),
    );
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [, words = ''] = /cli\.cjs([^;]*)/.exec(line) ?? [];
      const argv = words.split(/[\s",[\]]+/).filter((word) => word !== '');
      expect(argv.shift()).toBe('probe');
      expect(probeCommand.prepare(argv)).toHaveProperty('run');
    }
  });

  describe('the ExecStartPost of the systemd guide', () => {
    const [unit = ''] = blocksOf('systemd', 'ini');
    const [, script = ''] = /^ExecStartPost=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? [];

    /** Runs ExecStartPost for a port, as systemd does after it has started the process with this id. */
    function startPost(port: number, mainPid: number): ChildProcessByStdio<null, null, Readable> {
      const command = script
        .replace('/usr/bin/node node_modules/kube-vitals/dist/cli.cjs', `"${process.execPath}" "${built('cli.cjs')}"`)
        .replace(':8080', `:${port}`);
      const env = { ...process.env, MAINPID: String(mainPid) };
      const shell = spawn('/bin/sh', ['-c', command], { env, stdio: ['ignore', 'ignore', 'pipe'] });
      onTestFinished(() => void shell.kill('SIGKILL'));
      return shell;
    }

    it('waits until the service listens', async () => {
      const server = createServer((_, res) => res.end('ok')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      server.close();
      const shell = startPost(port, process.pid);
      const [said] = (await once(shell.stderr, 'data')) as [Buffer];
      expect(String(said)).toMatch(/ECONNREFUSED/);
      server.listen(port, '127.0.0.1');
      onTestFinished(() => void server.close());
      expect(await once(shell, 'exit')).toEqual([0, null]);
    });

    it('fails when the service has ended', async () => {
      const gone = spawnSync(process.execPath, ['-e', '0']).pid;
      expect(await once(startPost(1, gone), 'exit')).toEqual([1, null]);
    });
  });

  describe('the HEALTHCHECK of the Docker guide', () => {
    const [dockerfile = ''] = blocksOf('docker', 'dockerfile');
    const [, command = '[]'] = /^HEALTHCHECK [^\n]*\\\n\s+CMD (\[.*\])$/m.exec(dockerfile) ?? [];

    /** Runs HEALTHCHECK for a port. Resolves with the exit code, and with the output, which Docker keeps. */
    async function healthcheck(port: number): Promise<readonly [code: number, output: string]> {
      const words = (JSON.parse(command) as readonly string[]).map((word) =>
        word.replace('node_modules/kube-vitals/dist/cli.cjs', built('cli.cjs')).replace(':8080', `:${port}`),
      );
      expect(words.shift()).toBe('node');
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
      const [code] = (await once(child, 'close')) as [number];
      return [code, output];
    }

    it('exits with 0 while the service is live, with 1 while it is not, and with 1 when it has ended', async () => {
      let alive = true;
      const health = createHealth();
      health.add({ name: 'worker', check: () => alive, endpoints: ['livez'] });
      health.add({ name: 'database', check: () => false });
      const server = createServer(toNodeListener(health.handle)).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      expect(await healthcheck(port)).toEqual([0, 'ok\n']);
      alive = false;
      expect(await healthcheck(port)).toEqual([1, expect.stringMatching(/^HTTP 500\n[^]*^\[-\]worker failed/m)]);
      server.close();
      expect(await healthcheck(port)).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    });
  });

  it('docker gives its HEALTHCHECK longer than the probe takes at most', () => {
    const [dockerfile = ''] = blocksOf('docker', 'dockerfile');
    const [healthcheck, probe] = [...dockerfile.matchAll(/--timeout=(\d+)s/g)].map(([, seconds]) => Number(seconds));
    expect(probe).toBeGreaterThan(0);
    expect(healthcheck).toBeGreaterThan(probe ?? Infinity);
  });
});
