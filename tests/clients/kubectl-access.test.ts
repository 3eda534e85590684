import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithKubectl } from './kubectl-binaries.js';
import type { Finished } from './kubectl.js';
import { EVENTS, GROUP, kubectlSession } from './kubectl-session.js';
import { manifestText } from './manifests.js';

const TOKENS =
  'viewer-token-of-this-test,viewer,2\njane-token-of-this-test,jane,3,"team,people"\nproxy-token-of-this-test,proxy,4\n';
const POLICIES = [
  { group: 'system:authenticated', nonResourcePath: '*', readonly: true },
  { user: 'viewer', apiGroup: GROUP, resource: 'events', namespace: 'default', readonly: true },
  { group: 'team', apiGroup: GROUP, resource: 'events', namespace: 'default' },
  { user: 'proxy', apiGroup: '*', resource: 'users', namespace: '*' },
  { user: 'proxy', apiGroup: '*', resource: 'groups', namespace: '*' },
].map((spec) => JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec }));

describeWithKubectl('kubectl, against a server with tokens and policies,', ([binary]) => {
  let files = '';
  afterAll(() => rmSync(files, { recursive: true, force: true }));
  const kubectl = kubectlSession(binary, () => {
    files = mkdtempSync(join(tmpdir(), 'kube-vitals-access-'));
    const [tokens, policies] = [join(files, 'tokens.csv'), join(files, 'policies.jsonl')];
    writeFileSync(tokens, TOKENS);
    writeFileSync(policies, `${POLICIES.join('\n')}\n`);
    return ['--token-auth-file', tokens, '--authorization-mode=ABAC', '--authorization-policy-file', policies];
  });
  beforeAll(() => kubectl.create('seen'));

  const as = (token: string, ...args: string[]): Promise<Finished> =>
    kubectl.run([...args, '--token', token], { stdin: manifestText(GROUP, 'new') });

  it('is refused with an unknown token', async () => {
    const { code, stdout, stderr } = await as('nobody-has-this-token', 'get', EVENTS);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('You must be logged in to the server');
    expect(stderr).not.toContain('nobody-has-this-token');
  });

  it('is refused what the policy does not allow, with the messages of kube-apiserver', async () => {
    expect(await as('viewer-token-of-this-test', 'create', '-f', '-')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `Error from server (Forbidden): error when creating "STDIN": ${EVENTS} is forbidden: User "viewer" cannot ` +
        `create resource "events" in API group "${GROUP}" in the namespace "default"\n`,
    });
    expect(await as('viewer-token-of-this-test', 'get', EVENTS, '-A')).toMatchObject({
      code: 1,
      stderr:
        `Error from server (Forbidden): ${EVENTS} is forbidden: User "viewer" cannot list resource "events" in ` +
        `API group "${GROUP}" at the cluster scope\n`,
    });
    expect((await as('viewer-token-of-this-test', 'delete', EVENTS, 'seen')).stderr).toContain(
      `${EVENTS} "seen" is forbidden: User "viewer" cannot delete resource "events"`,
    );
  });

  it('is allowed what the policy allows to its user name or group', async () => {
    expect(await as('viewer-token-of-this-test', 'get', EVENTS, '-o', 'name')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`event.${GROUP}/seen\n`) as string,
    });
    expect((await as('jane-token-of-this-test', 'create', '-f', '-')).stdout).toBe(`event.${GROUP}/new created\n`);
    expect((await as('jane-token-of-this-test', 'get', '--raw', '/readyz')).stdout).toBe('ok');
  });

  it('impersonates others with --as and --as-group where the policy allows it', async () => {
    const proxy = (...args: string[]): Promise<Finished> => as('proxy-token-of-this-test', ...args);
    const list = ['get', EVENTS, '-o', 'name'];
    const seen = { code: 0, stdout: expect.stringContaining(`event.${GROUP}/seen\n`) as string };
    expect((await proxy(...list)).stderr).toContain('User "proxy" cannot list resource "events"');
    expect(await proxy(...list, '--as=viewer')).toMatchObject(seen);
    expect(await proxy(...list, '--as=nobody', '--as-group=team')).toMatchObject(seen);
    // With no other rights than those of the impersonated user.
    expect(await proxy('delete', EVENTS, 'seen', '--as=viewer')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('User "viewer" cannot delete resource "events"') as string,
    });
  });

  it('is refused --as and --as-group where the policy does not allow them', async () => {
    const path = `/apis/${GROUP}/v1/namespaces/default/events`;
    for (const others of [['--as=jane'], ['--as=viewer', '--as-group=team']]) {
      const viewer = (...args: string[]): Promise<Finished> =>
        as('viewer-token-of-this-test', 'get', ...args, ...others);
      // When discovery is refused, kubectl hides the message of the server: --raw shows it.
      expect(await viewer(EVENTS)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('Error from server (Forbidden)') as string,
      });
      expect(await viewer('--raw', path)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`${EVENTS} is forbidden: User "viewer" cannot impersonate`) as string,
      });
    }
  });
});

describeWithKubectl('kubectl get -w', ([binary]) => {
  const kubectl = kubectlSession(binary, () => ['--event-ttl=2s']);

  it('shows the expiry of an event', async () => {
    const watch = kubectl.follow(['get', EVENTS, '-n', 'ttl', '-w', '-o', 'wide', '--output-watch-events', '-v=6']);
    // The event may expire before a watch that is slow to start.
    await watch.says(/watch=true/);
    const stdin = manifestText(GROUP, 'brief', { metadata: { namespace: 'ttl' } });
    await kubectl.ok(['create', '-f', '-'], { stdin });
    await watch.line(/^ADDED .* brief$/);
    await watch.line(/^DELETED .* brief$/);
    await watch.stop();
    expect(await kubectl.ok(['get', EVENTS, '-n', 'ttl', '-o', 'name'])).toBe('');
  });
});
