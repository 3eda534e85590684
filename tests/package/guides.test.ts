import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { probeCommand } from '../../src/cli/probe/probe-command.js';
import { parseMarkdown } from './markdown.js';
import { built } from './package-entries.js';
import { root } from './source-files.js';

/** The code of a guide in one language. */
function blocksOf(guide: string, language: string): readonly string[] {
  const path = `docs/guides/${guide}.md`;
  const found = parseMarkdown(path, readFileSync(join(root, path), 'utf8')).blocks;
  return found.filter((block) => block.language === language).map(({ code }) => code);
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
          readonly startupProbe: Probe;
          readonly livenessProbe: Probe;
          readonly readinessProbe: Probe;
        }[];
      };
    };
  };
}

/** The value of a numeric option in the code of a guide. */
const option = (code: string, name: string): number =>
  Number(new RegExp(`\\b${name}: ([\\d_]+)`).exec(code)?.[1]?.replaceAll('_', ''));

describe('the Kubernetes guide', () => {
  const [code = ''] = blocksOf('kubernetes', 'ts');
  const [manifest = ''] = blocksOf('kubernetes', 'yaml');
  const pod = (parse(manifest) as Deployment).spec.template.spec;
  const [container] = pod.containers;

  it('gives the pod longer than the whole shutdown takes', () => {
    const shutdownMs = option(code, 'delayMs') + option(code, 'drainTimeoutMs') + option(code, 'closeTimeoutMs');
    expect(shutdownMs).toBeGreaterThan(0);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(shutdownMs);
  });

  it('delays the shutdown until the pod has been taken out of the load balancer', () => {
    const { periodSeconds, failureThreshold } = container?.readinessProbe ?? { periodSeconds: 0, failureThreshold: 0 };
    expect(periodSeconds * failureThreshold).toBeGreaterThan(0);
    expect(option(code, 'delayMs')).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
  });

  it('lets probes wait longer than the slowest check, on the port of the service', () => {
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    expect(probes.map((probe) => probe?.httpGet.path)).toEqual(['/livez', '/livez', '/readyz']);
    for (const probe of probes) {
      expect((probe?.timeoutSeconds ?? 0) * 1_000).toBeGreaterThan(option(code, 'timeoutMs'));
      expect(probe?.httpGet.port).toBe(container?.ports[0]?.name);
    }
    expect(code).toContain(`listen(${container?.ports[0]?.containerPort},`);
  });
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
        .replace('/usr/bin/node node_modules/kube-vitals/dist/cli.cjs', `${process.execPath} ${built('cli.cjs')}`)
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

  it('docker gives its HEALTHCHECK longer than the probe takes at most', () => {
    const [dockerfile = ''] = blocksOf('docker', 'dockerfile');
    const [healthcheck, probe] = [...dockerfile.matchAll(/--timeout=(\d+)s/g)].map(([, seconds]) => Number(seconds));
    expect(probe).toBeGreaterThan(0);
    expect(healthcheck).toBeGreaterThan(probe ?? Infinity);
  });
});
