import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { connectionError } from '../../../../src/client.js';
import { connect } from '../../../../src/cli/events/connect.js';
import type { ApiRequest } from '../../../../src/http/request.js';
import type { ApiResponse } from '../../../../src/http/response.js';

const server = vi.hoisted(() => ({ requests: [] as string[], respond: undefined as unknown, closed: 0 }));
vi.mock('../../../../src/client.js', async (original) => ({
  ...(await original<object>()),
  httpTransport: () => ({
    async handle({ url }: ApiRequest): Promise<ApiResponse> {
      server.requests.push(url);
      return (server.respond as (count: number) => Promise<ApiResponse>)(server.requests.length);
    },
    close: async () => void server.closed++,
  }),
}));

beforeEach(() => {
  vi.useFakeTimers();
  server.requests = [];
  server.closed = 0;
});
afterEach(() => void vi.useRealTimers());

const FLAGS = {
  server: 'http://127.0.0.1:1',
  kubeconfig: undefined,
  context: undefined,
  tokenFile: undefined,
  certificateAuthority: undefined,
  apiGroup: undefined,
};
const connected = (flags = {}, onExecOutput: (text: string) => void = () => undefined) =>
  connect({ ...FLAGS, ...flags }, new AbortController().signal, onExecOutput);
const groups = (...names: string[]): ApiResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ kind: 'APIGroupList', groups: names.map((name) => ({ name })) }),
});
const refusal = (status: number, headers = {}): ApiResponse => ({ status, headers, body: 'refused by a proxy' });

it('fails after 30 seconds, and closes its connections, where the server never lists its groups', async () => {
  server.respond = () => new Promise(() => undefined);
  const failed = vi.fn();
  connected().catch(({ message }: Error) => failed(message));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(failed).toHaveBeenCalledWith('there was no response within 30000 ms');
  expect(server.closed).toBe(1);
});

it('asks again for the groups while the server is overloaded, like any other read', async () => {
  server.respond = async (count: number) =>
    [refusal(429, { 'retry-after': '2' }), refusal(503)][count - 1] ?? groups('apps', 'events.example.com');
  const made = connected();
  made.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await made).client.group).toBe('events.example.com');
  expect(server.requests).toEqual(['/apis', '/apis', '/apis']);
});

it('fails at once where the server is not reached', async () => {
  server.respond = async () => {
    throw connectionError('not reached', false);
  };
  await expect(connected()).rejects.toThrow('not reached');
  expect(server.requests).toEqual(['/apis']);
});

it.each([403, 404])('takes a server that responds with %i for Kubernetes', async (status) => {
  server.respond = async () => refusal(status);
  expect((await connected()).client.group).toBe('events.k8s.io');
});

it('fails with any other refusal', async () => {
  server.respond = async () => refusal(401);
  await expect(connected()).rejects.toThrow('the server responded with 401: refused by a proxy');
});

it('passes on what the credential plugin of a kubeconfig writes to its standard error', async () => {
  vi.useRealTimers();
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', 'console.error("Your session has expired."); process.exit(255)'],
  };
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { exec } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config');
  writeFileSync(path, JSON.stringify(config));
  const onExecOutput = vi.fn();
  await expect(connected({ server: undefined, kubeconfig: path }, onExecOutput)).rejects.toThrow('exit code 255');
  vi.stubEnv('KUBECONFIG', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(connected({ server: undefined }, onExecOutput)).rejects.toThrow('exit code 255');
  expect(onExecOutput.mock.calls).toEqual([['Your session has expired.\n'], ['Your session has expired.\n']]);
});

it.each(['events./x', 'events.Example.com', { toString: 1 }, null])(
  'ignores the name %j of an API group',
  async (name) => {
    server.respond = async () => groups(name as string, 'events.example.com');
    expect((await connected()).client.group).toBe('events.example.com');
  },
);
