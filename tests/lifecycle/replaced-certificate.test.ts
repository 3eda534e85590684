import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ownCertificate } from '../../src/cli/serve/certificates.js';
import { childrenOf } from '../engines/support/processes.js';
import { createServer } from '../engines/support/standalone.js';
import { until } from '../engines/support/waiting.js';
import { whole } from './support.js';

/** A database that is unavailable: the server starts nevertheless. */
const AWAY = 'postgres://nobody@127.0.0.1:1/nothing';
const LIMIT_MS = 90_000;
/** The server looks at its files every minute: here a minute takes a fifth of a second. */
const SHORT_MINUTES = `data:text/javascript,${encodeURIComponent(
  'const { setTimeout: set } = globalThis; globalThis.setTimeout = (f, ms, ...a) => set(f, ms === 60_000 ? 200 : ms, ...a)',
)}`;

test.each([1, 2])(
  'kube-vitals serve --workers=%d presents a replaced certificate on new connections, and keeps the open ones',
  async (workers) => {
    const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-certificate-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const makePair = async (): Promise<string> => {
      // Without its files the next pair has another authority, so that both of them are replaced.
      await rm(join(dir, 'ca.crt'), { force: true });
      await rm(join(dir, 'server.crt'), { force: true });
      return (await ownCertificate(dir, '127.0.0.1')).cert;
    };
    const first = await makePair();
    vi.stubEnv('NODE_OPTIONS', `--import=${SHORT_MINUTES}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await createServer({
      name: 'the server',
      store: AWAY,
      flags: [
        ...[`--workers=${workers}`, `--tls-cert-file=${join(dir, 'server.crt')}`],
        `--tls-private-key-file=${join(dir, 'server.key')}`,
      ],
    });
    onTestFinished(() => server.remove());
    await server.start();
    const kubeconfig = (): Promise<string> => readFile(join(server.dataDir, 'kubeconfig'), 'utf8');
    const url = /https:\/\/[\d.:]+/.exec(await kubeconfig())?.[0] ?? '';
    const ask = async (options: RequestOptions) => {
      const sent = request(`${url}/livez`, { rejectUnauthorized: false, ...options }).end();
      const [response] = (await once(sent, 'response')) as [AsyncIterable<Uint8Array> & { socket: TLSSocket }];
      const pem = response.socket.getPeerX509Certificate()?.toString() ?? '';
      return { text: await whole(response), pem: pem.trim(), reused: sent.reusedSocket };
    };
    const keepingAlive = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => keepingAlive.destroy());
    expect(await ask({ agent: keepingAlive })).toEqual({ text: 'ok', pem: first.trim(), reused: false });

    const second = await makePair();
    // The workers share connections as they like: some in a row show all of them.
    const present = async (pem: string): Promise<boolean> => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => ask({ agent: false })));
      return responses.every((response) => response.pem === pem.trim());
    };
    await until('all present it', () => present(second), LIMIT_MS);
    expect(await ask({ agent: keepingAlive })).toMatchObject({ text: 'ok', reused: true });
    const authority = `certificate-authority-data: ${Buffer.from(second).toString('base64')}\n`;
    await until('the kubeconfig trusts it', async () => (await kubeconfig()).includes(authority));
    expect(server.log().match(/^the certificate of the HTTPS port was replaced.*$/gm)).toHaveLength(1);

    for (const worker of workers === 1 ? [] : await childrenOf(server.pid ?? NaN)) {
      process.kill(worker, 'SIGKILL');
      await until('it is started again', () => server.log().endsWith('serves again\n'), LIMIT_MS);
      expect(await present(second)).toBe(true);
    }
  },
  LIMIT_MS,
);
