import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  defaultTransport,
  inClusterTransport,
  kubeconfigTransport,
  type KubeconfigTransportOptions,
} from '../../src/client.js';
import { fakeClock } from '../../src/testing.js';
import { respond, clientOver, closedLater, failureOf, folderOfTest, listenTls, STORED } from './client-support.js';
import { listen } from './support.js';

/** A server that records the credentials it gets, and refuses those for which `isValid` is false. */
async function noting(isValid: (authorization: string | undefined) => boolean = () => true) {
  const seen: (string | undefined)[] = [];
  const served = await listenTls((request, response) => {
    seen.push(request.headers.authorization);
    if (isValid(request.headers.authorization)) respond(response, 200, STORED);
    else respond(response, 401, { kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized', code: 401 });
  });
  return { ...served, seen };
}

interface Parts {
  readonly server?: string;
  /** The authority of the server, in base64. */
  readonly ca?: string;
  readonly user?: object;
  readonly cluster?: object;
  readonly context?: object;
}

/** A kubeconfig with one cluster, user and context. JSON is valid YAML. */
const configOf = ({ server = 'https://127.0.0.1:1', ca, user = {}, cluster = {}, context = {} }: Parts): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    'current-context': 'x',
  });

const open = async (options: KubeconfigTransportOptions) => closedLater(await kubeconfigTransport(options));

/** Makes a shell script that counts its runs in a file. */
function plugin(folder: string, script: string): string {
  const path = join(folder, 'plugin.sh');
  writeFileSync(path, `#!/bin/sh\necho run >> "${folder}/runs"\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const runs = (folder: string): number =>
  existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1 : 0;

const V1 = 'client.authentication.k8s.io/v1';
const credential = (status: object, apiVersion = V1): string =>
  `cat <<'END'\n${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}\nEND`;

describe('a kubeconfig', () => {
  test('gives server, namespace and credentials of its current context, or of another one', async () => {
    const { server, ca, seen } = await noting();
    const text = `
clusters:
  - { name: c, cluster: { server: ${server}, certificate-authority-data: ${ca} } }
users:
  - { name: jane, user: { token: t1 } }
  - { name: john, user: { username: john, password: "p:w" } }
contexts:
  - { name: one, context: { cluster: c, user: jane, namespace: shop } }
  - { name: two, context: { cluster: c, user: john } }
  - { name: three, context: { cluster: c } }
current-context: one
`;
    const one = await open({ text });
    expect(one.namespace).toBe('shop');
    const two = await open({ text, context: 'two', namespace: 'own' });
    expect(two.namespace).toBe('own');
    for (const transport of [one, two, await open({ text, context: 'three' })])
      await clientOver(transport).get({ name: 'a' });
    expect(seen).toEqual(['Bearer t1', `Basic ${btoa('john:p:w')}`, undefined]);
  });

  test('may be in UTF-8 or UTF-16 with a byte order mark, as Windows PowerShell writes it, as for kubectl', async () => {
    const path = join(folderOfTest(), 'config');
    const text = configOf({ context: { namespace: 'größe' } });
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const bytes of [text, `\ufeff${text}`, little, Buffer.from(little).swap16()]) {
      writeFileSync(path, bytes);
      expect((await open({ path })).namespace).toBe('größe');
    }
    writeFileSync(path, text, 'utf16le');
    expect((await failureOf(kubeconfigTransport({ path }))).message).toBe(
      `kubeconfig: ${path} is neither UTF-8 nor UTF-16 with a byte order mark`,
    );
  });

  test('of several files is merged as kubectl does: the first definition wins, and paths are relative to their file', async () => {
    const { server, ca, seen } = await noting();
    const [first, second] = [folderOfTest(), folderOfTest()];
    writeFileSync(join(second, 'token'), 'from-second');
    writeFileSync(
      join(first, 'config'),
      JSON.stringify({ users: [{ name: 'jane', user: { token: 'from-first' } }], contexts: [] }),
    );
    writeFileSync(
      join(second, 'config'),
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca } }],
        users: [
          { name: 'jane', user: { token: 'shadowed', username: 'x' } },
          { name: 'john', user: { tokenFile: 'token' } },
        ],
        contexts: [
          { name: 'one', context: { cluster: 'c', user: 'jane', namespace: 'shop' } },
          { name: 'two', context: { cluster: 'c', user: 'john' } },
        ],
        'current-context': 'one',
      }),
    );
    const paths = [join(first, 'config'), join(first, 'absent'), join(second, 'config')];
    vi.stubEnv('KUBECONFIG', paths.join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
    const transport = await open({});
    expect(transport.namespace).toBe('shop');
    await clientOver(transport).get({ name: 'a' });
    await clientOver(await open({ context: 'two' })).get({ name: 'a' });
    await clientOver(closedLater(await defaultTransport())).get({ name: 'a' });
    expect(seen).toEqual(['Bearer from-first', 'Bearer from-second', 'Bearer from-first']);
  });

  test('has merge keys and many aliases, as programs that write YAML make them', async () => {
    const { server, ca, seen } = await noting();
    const contexts = Array.from({ length: 1_000 }, (_, n) => `  - { name: x${n}, context: *context }`);
    const text = `
shared: &shared { namespace: shop, user: nobody }
users:
  - { name: jane, user: { token: t1 } }
clusters:
  - { name: c, cluster: { server: ${server}, certificate-authority-data: ${ca} } }
contexts:
  - name: x
    context: &context
      <<: *shared
      cluster: c
      user: jane
${contexts.join('\n')}
`;
    const transport = await open({ text, context: 'x999' });
    expect(transport.namespace).toBe('shop');
    await clientOver(transport).get({ name: 'a' });
    expect(seen).toEqual(['Bearer t1']);
  });

  test('may have a key twice, of which the last one counts as in kubectl', async () => {
    const { server, ca, seen } = await noting();
    const text = configOf({ server, ca, user: { token: 't' } }).replace(
      '"token":"t"',
      '"token":"first","token":"last"',
    );
    await clientOver(await open({ text })).get({ name: 'a' });
    expect(seen).toEqual(['Bearer last']);
  });

  test('may have a token beside a token file, which counts until the file can be read', async () => {
    const folder = folderOfTest();
    const clock = fakeClock();
    const { server, ca, seen } = await noting();
    const user = { tokenFile: join(folder, 'token'), token: 'inline' };
    const client = clientOver(await open({ text: configOf({ server, ca, user }), clock }));
    await client.get({ name: 'a' });
    writeFileSync(user.tokenFile, 'from-file');
    clock.advance(60_000);
    await client.get({ name: 'a' });
    expect(seen).toEqual(['Bearer inline', 'Bearer from-file']);
  });

  test('lets its user impersonate another one', async () => {
    const seen: unknown[] = [];
    const served = await listenTls((request, response) => {
      const { headers } = request;
      seen.push(headers['impersonate-user'], headers['impersonate-group'], headers['impersonate-extra-scope']);
      respond(response, 200, STORED);
    });
    const user = { token: 't', as: 'jane', 'as-groups': ['a', 'b'], 'as-user-extra': { scope: ['all'] } };
    await clientOver(await open({ text: configOf({ ...served, user }) })).get({ name: 'a' });
    expect(seen).toEqual(['jane', 'a, b', 'all']);
  });

  test.each(['http://', ''])('with the server %s… gives it no credentials and runs no program', async (scheme) => {
    const folder = folderOfTest();
    const seen: unknown[] = [];
    const { port } = await listen((request, response) => {
      seen.push([request.headers.authorization, request.headers['impersonate-user']]);
      respond(response, 200, STORED);
    });
    const server = `${scheme}127.0.0.1:${port}`;
    const exec = { apiVersion: V1, command: plugin(folder, credential({ token: 'from-plugin' })) };
    writeFileSync(join(folder, 'token'), 'from-file');
    const users = [{ token: 't', as: 'jane' }, { tokenFile: join(folder, 'token') }, { username: 'u' }, { exec }];
    for (const user of users) await clientOver(await open({ text: configOf({ server, user }) })).get({ name: 'a' });
    expect(seen).toEqual([[undefined, 'jane'], ...Array.from({ length: 3 }, () => [undefined, undefined])]);
    expect(runs(folder)).toBe(0);
    const unknown = configOf({ server, context: { user: 'other' } });
    expect((await failureOf(kubeconfigTransport({ text: unknown }))).message).toBe(
      'kubeconfig: the context "x": its user is missing',
    );
  });

  test.each<[string, string | Parts, string]>([
    ['is no YAML', 'a: [top-secret', 'kubeconfig: the text is not valid YAML: BAD_INDENT in line 1'],
    [
      'has an alias without an anchor',
      'a: *top-secret',
      'kubeconfig: the text is not valid YAML: it has an alias without an anchor, or too many aliases',
    ],
    [
      'has aliases that make it very large',
      `a: &a [x]\n${[...'bcdef'].map((name, at) => `${name}: &${name} [${`*${'abcde'[at]},`.repeat(10)}]\n`).join('')}`,
      'kubeconfig: the text is not valid YAML: it has an alias without an anchor, or too many aliases',
    ],
    ['is no object', '- top-secret', 'kubeconfig: the text must be an object'],
    [
      'has no current context',
      'clusters: []',
      'kubeconfig: there is no current-context: name one with the option context',
    ],
    ['lacks the cluster', { context: { cluster: 'other' } }, 'kubeconfig: the context "x": its cluster is missing'],
    ['lacks the user', { context: { user: 'other' } }, 'kubeconfig: the context "x": its user is missing'],
    ['has a token that is no text', { user: { token: 7 } }, 'kubeconfig: the user "u": token must be a string'],
    [
      'has a certificate without its key',
      { user: { 'client-certificate-data': btoa('-----BEGIN top-secret') } },
      'kubeconfig: the user "u": client-certificate and client-key belong together',
    ],
    [
      'has data that is no base64',
      { cluster: { 'certificate-authority-data': 'top secret!' } },
      'kubeconfig: the cluster "c": certificate-authority-data must be base64',
    ],
    [
      'has data that is no PEM',
      { cluster: { 'certificate-authority-data': btoa(btoa('-----BEGIN CERTIFICATE-----')) } },
      'kubeconfig: the cluster "c": certificate-authority-data must have PEM in its base64',
    ],
    [
      'checks a certificate and does not',
      { cluster: { 'certificate-authority': 'x', 'insecure-skip-tls-verify': true } },
      'kubeconfig: the cluster "c": insecure-skip-tls-verify and certificate-authority exclude each other',
    ],
    [
      'has an address with a password',
      { server: 'https://jane:top-secret@127.0.0.1' },
      'kubeconfig: the cluster "c": server must be an http or https URL without user name, query and fragment',
    ],
    [
      'has a SOCKS proxy',
      { cluster: { 'proxy-url': 'socks5://jane:top-secret@127.0.0.1' } },
      'kubeconfig: the cluster "c": proxy-url must be an http or https URL',
    ],
    [
      'has a flag that is no boolean',
      { cluster: { 'insecure-skip-tls-verify': 'perhaps' } },
      'kubeconfig: the cluster "c": insecure-skip-tls-verify must be true or false',
    ],
    [
      'has a removed auth-provider',
      { user: { 'auth-provider': { name: 'gcp', config: { 'access-token': 'top-secret' } } } },
      'kubeconfig: the user "u": the auth-provider "gcp" is of a kind that Kubernetes removed in 1.26; use an exec plugin',
    ],
    [
      'has a plugin of an unknown version',
      { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' } } },
      'kubeconfig: the user "u": exec: apiVersion must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1',
    ],
    [
      'has a plugin without a command',
      { user: { exec: { apiVersion: V1 } } },
      'kubeconfig: the user "u": exec: command is missing',
    ],
    [
      'has arguments that are no texts',
      { user: { exec: { apiVersion: V1, command: 'x', args: ['top-secret', 7] } } },
      'kubeconfig: the user "u": exec: args must be a list of strings',
    ],
    [
      'has a plugin that asks people',
      { user: { exec: { apiVersion: V1, command: 'x', interactiveMode: 'Always' } } },
      'kubeconfig: the user "u": exec: the program needs a terminal (interactiveMode: Always), and there is none',
    ],
    [
      'impersonates nobody',
      { user: { 'as-groups': ['a'] } },
      'kubeconfig: the user "u": as-uid, as-groups and as-user-extra need as',
    ],
    [
      'impersonates a user whom no header can carry',
      { user: { as: 'jane', 'as-user-extra': { scope: ['a\r\nx-more: y'] } } },
      'kubeconfig: the user "u": as, as-uid, as-groups and as-user-extra must have no control characters',
    ],
  ])('that %s is refused with a text that has no secret', async (_, parts, message) => {
    const text = typeof parts === 'string' ? parts : configOf(parts);
    const error = await failureOf(kubeconfigTransport({ text }));
    expect(error.message).toBe(message);
  });

  test.each(['yes', 'on', 'Y', 'True'])('may have flags in the words of YAML 1.1, such as %s', async (word) => {
    const { server } = await noting();
    const asked = { cluster: { 'insecure-skip-tls-verify': 'WORD' } };
    const text = configOf({ server, ...asked }).replace('"WORD"', word);
    expect(await clientOver(await open({ text })).get({ name: 'a' })).toEqual(STORED);
  });

  test.each(['no', 'off', 'N'])(
    'that does not want to skip checks, with the word %s, has an authority',
    async (word) => {
      const { server, ca } = await noting();
      const asked = { cluster: { 'insecure-skip-tls-verify': 'WORD' } };
      const text = configOf({ server, ca, ...asked }).replace('"WORD"', word);
      // Without the authority the certificate is not trusted.
      const untrusting = configOf({ server, ...asked }).replace('"WORD"', word);
      expect(await clientOver(await open({ text })).get({ name: 'a' })).toEqual(STORED);
      expect(await failureOf(clientOver(await open({ text: untrusting })).get({ name: 'a' }))).toMatchObject({
        name: 'ConnectionError',
        sent: false,
      });
    },
  );

  test('has the name by which the certificate of the server is checked', async () => {
    const { server, ca } = await noting();
    const text = configOf({ server, ca, cluster: { 'tls-server-name': 'other.example' } });
    const error = await failureOf(clientOver(await open({ text })).get({ name: 'a' }));
    expect(error.message).toContain("Hostname/IP does not match certificate's altnames: Host: other.example.");
  });

  test('may name entries __proto__ and constructor', async () => {
    const text = configOf({}).replaceAll('"x"', '"__proto__"');
    expect(await open({ text })).toBeDefined();
    expect((await failureOf(kubeconfigTransport({ text, context: 'constructor' }))).message).toBe(
      'kubeconfig: there is no context "constructor"',
    );
  });

  test('that does not exist is reported with its path', async () => {
    const path = join(folderOfTest(), 'absent');
    expect((await failureOf(kubeconfigTransport({ path }))).message).toBe(`kubeconfig: there is no file ${path}`);
    vi.stubEnv('KUBECONFIG', path);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await failureOf(kubeconfigTransport())).message).toBe(`kubeconfig: there is none: no file ${path}`);
    expect((await failureOf(defaultTransport())).message).toBe(
      `no server is configured: there is no kubeconfig ${path}, and this process does not run in a pod`,
    );
  });

  test('that cannot be read, or has more than 16 MiB, is reported with its path', async () => {
    const folder = folderOfTest();
    expect((await failureOf(kubeconfigTransport({ path: folder }))).message).toMatch(
      `kubeconfig: ${folder} cannot be read: EISDIR`,
    );
    const path = join(folder, 'large');
    writeFileSync(path, '');
    truncateSync(path, 16_777_217);
    expect((await failureOf(kubeconfigTransport({ path }))).message).toBe(
      `kubeconfig: ${path} cannot be read: it has more than 16777216 bytes`,
    );
  });

  test('is not missed by a user without a home, who may run in a pod', async () => {
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    // What Node does without $HOME for a user ID that /etc/passwd does not have.
    const homedir = vi.spyOn(os, 'homedir').mockImplementation(() => {
      throw new Error('uv_os_homedir returned ENOENT (no such file or directory)');
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      homedir.mockRestore();
      syncBuiltinESMExports();
    });
    expect((await failureOf(defaultTransport())).message).toBe(
      'no server is configured: there is no kubeconfig .kube/config, and this process does not run in a pod',
    );
  });
});

describe('an exec plugin', () => {
  test('is run once for many requests, with arguments, environment and information about the cluster', async () => {
    const folder = folderOfTest();
    const { server, ca, seen } = await noting();
    const command = plugin(
      folder,
      `printf '%s' "$KUBERNETES_EXEC_INFO" > "${folder}/info"\nprintf '%s' "$1 $MORE" > "${folder}/args"\n${credential({ token: 'from-plugin' })}`,
    );
    const exec = {
      apiVersion: V1,
      command,
      args: ['$(touch hacked) "quoted"'],
      env: [{ name: 'MORE', value: 'more' }],
      provideClusterInfo: true,
    };
    // Bundles of authorities have comments, in any language.
    const authority = Buffer.from(`# Αθήνα\n${atob(ca)}`).toString('base64');
    const cluster = {
      'certificate-authority-data': authority,
      'tls-server-name': 'localhost',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'shop' } }],
    };
    const { extensions: _, ...shown } = cluster;
    const client = clientOver(await open({ text: configOf({ server, cluster, user: { exec } }) }));
    await Promise.all(Array.from({ length: 10 }, () => client.get({ name: 'a' })));
    await client.get({ name: 'a' });
    expect(runs(folder)).toBe(1);
    expect(new Set(seen)).toEqual(new Set(['Bearer from-plugin']));
    expect(JSON.parse(readFileSync(join(folder, 'info'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: {
        interactive: false,
        cluster: { server, ...shown, config: { audience: 'shop' } },
      },
    });
    expect(readFileSync(join(folder, 'args'), 'utf8')).toBe('$(touch hacked) "quoted" more');
  });

  test('may write YAML, as for client-go', async () => {
    const folder = folderOfTest();
    const { server, ca, seen } = await noting();
    const yaml = `kind: ExecCredential\napiVersion: ${V1}\nstatus:\n  token: from-yaml\n  expirationTimestamp: 2124-01-01T00:00:00Z`;
    const command = plugin(folder, `cat <<'END'\n${yaml}\nEND`);
    const client = clientOver(
      await open({ text: configOf({ server, ca, user: { exec: { apiVersion: V1, command } } }) }),
    );
    await client.get({ name: 'a' });
    expect(seen).toEqual(['Bearer from-yaml']);
  });

  test.each([
    ['lines of something else', 'seq 1 60000 | sed "s/$/: text/"'],
    ['brackets', `head -c 900000 /dev/zero | tr '\\0' '['`],
    ['braces', `head -c 400 /dev/zero | tr '\\0' '{'`],
    ['question marks', `yes '?' | head -n 600 | tr '\\n' ' '`],
    ['lines of a text', `echo "a: |"; seq 1 100000 | sed "s/^/ /"`],
  ])('that writes many %s fails without long work', async (_, script) => {
    const command = plugin(folderOfTest(), script);
    const client = clientOver(await open({ text: configOf({ user: { exec: { apiVersion: V1, command } } }) }));
    const begun = process.cpuUsage();
    const error = await failureOf(client.get({ name: 'a' }));
    expect(error.message).toContain('the program wrote no ExecCredential with a status');
    expect(process.cpuUsage(begun).user).toBeLessThan(3_000_000);
  });

  test('is not run for a user with a client certificate, as by client-go', async () => {
    const folder = folderOfTest();
    const { server, ca, seen } = await noting();
    const pem = await generate([{ name: 'commonName', value: 'jane' }], { keySize: 2048 });
    const user = {
      'client-certificate-data': btoa(pem.cert),
      'client-key-data': btoa(pem.private),
      exec: { apiVersion: V1, command: plugin(folder, credential({ token: 'from-plugin' })) },
    };
    await clientOver(await open({ text: configOf({ server, ca, user }) })).get({ name: 'a' });
    expect(seen).toEqual([undefined]);
    expect(runs(folder)).toBe(0);
  });

  test('is found beside its kubeconfig, and run again when its credentials expire', async () => {
    const folder = folderOfTest();
    const clock = fakeClock();
    const { server, ca, seen } = await noting();
    plugin(
      folder,
      credential({ token: 't', expirationTimestamp: '2024-01-01T00:10:00Z' }, 'client.authentication.k8s.io/v1beta1'),
    );
    const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: './plugin.sh' };
    writeFileSync(join(folder, 'config'), configOf({ server, ca, user: { exec } }));
    const client = clientOver(await open({ path: join(folder, 'config'), clock }));
    await client.get({ name: 'a' });
    clock.advance(599_000);
    await client.get({ name: 'a' });
    expect(runs(folder)).toBe(1);
    clock.advance(1_000);
    await client.get({ name: 'a' });
    expect(runs(folder)).toBe(2);
    expect(seen).toHaveLength(3);
  });

  test('is run again after a 401, once for many requests', async () => {
    const folder = folderOfTest();
    const { server, ca } = await noting((authorization) => authorization === 'Bearer t2');
    const command = plugin(
      folder,
      `n=$(wc -l < "${folder}/runs")\necho "{\\"kind\\":\\"ExecCredential\\",\\"apiVersion\\":\\"${V1}\\",\\"status\\":{\\"token\\":\\"t$((n))\\"}}"`,
    );
    const client = clientOver(
      await open({ text: configOf({ server, ca, user: { exec: { apiVersion: V1, command } } }) }),
    );
    await Promise.all(Array.from({ length: 5 }, () => client.get({ name: 'a' })));
    expect(runs(folder)).toBe(2);
  });

  test.each<[string, string, string]>([
    ['fails', 'echo top-secret >&2; exit 3', 'ended with exit code 3'],
    [
      'writes something else',
      'echo top-secret',
      'kubeconfig: the user "u": exec: the program wrote no ExecCredential with a status',
    ],
    ['writes neither JSON nor YAML', 'echo "[top-secret"', 'the program wrote no ExecCredential with a status'],
    ['writes an alias without an anchor', 'echo "a: *top-secret"', 'wrote no ExecCredential with a status'],
    [
      'writes another kind',
      `echo '{"kind":"Token","apiVersion":"${V1}","status":{"token":"top-secret"}}'`,
      'wrote no ExecCredential with a status',
    ],
    ['is killed', 'echo top-secret; kill -9 $$', 'was ended by SIGKILL'],
    ['writes another version', credential({ token: 'top-secret' }, 'v2'), `wrote another apiVersion than ${V1}`],
    ['writes nothing of use', credential({}), 'wrote neither a token nor a client certificate'],
    ['writes half a certificate', credential({ clientCertificateData: 'x' }), 'without the other'],
    [
      'writes certificates in base64',
      credential({ clientCertificateData: btoa('-----BEGIN '), clientKeyData: 'top-secret' }),
      'wrote a client certificate or a key that is not in PEM',
    ],
    ['never stops writing', 'exec yes top-secret', 'wrote more than 1048576 bytes'],
    ['never ends', 'exec sleep 60', 'did not end within 300 ms'],
  ])('that %s causes an error that quotes nothing of its output', async (_, script, message) => {
    const folder = folderOfTest();
    const command = plugin(folder, script);
    const outputs: string[] = [];
    const exec = { apiVersion: V1, command };
    const transport = await open({
      text: configOf({ user: { exec } }),
      execTimeoutMs: 300,
      onExecOutput: (text) => outputs.push(text),
    });
    const error = await failureOf(clientOver(transport).get({ name: 'a' }));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(error.message).toContain(message);
    expect(`${error.message}${String(error.cause)}`).not.toContain('top-secret');
    expect(outputs).toHaveLength(1);
    if (script.includes('>&2')) expect(outputs).toEqual(['top-secret\n']);
  });

  test('that fails is run again only after a second', async () => {
    const folder = folderOfTest();
    const clock = fakeClock();
    const command = plugin(folder, 'exit 1');
    const client = clientOver(await open({ text: configOf({ user: { exec: { apiVersion: V1, command } } }), clock }));
    for (let index = 0; index < 5; index++) await failureOf(client.get({ name: 'a' }));
    expect(runs(folder)).toBe(1);
    clock.advance(1_000);
    await failureOf(client.get({ name: 'a' }));
    expect(runs(folder)).toBe(2);
  });

  test('that is not installed is reported with its installHint', async () => {
    const exec = { apiVersion: V1, command: 'kube-vitals-no-such-program', installHint: 'Install it.' };
    const error = await failureOf(clientOver(await open({ text: configOf({ user: { exec } }) })).get({ name: 'a' }));
    expect(error.message).toBe('kubeconfig: the program "kube-vitals-no-such-program" was not found. Install it.');
  });

  test('that may not be executed is reported with the code of the system', async () => {
    const command = plugin(folderOfTest(), '');
    chmodSync(command, 0o644);
    const exec = { apiVersion: V1, command };
    const error = await failureOf(clientOver(await open({ text: configOf({ user: { exec } }) })).get({ name: 'a' }));
    expect(error.message).toBe(`kubeconfig: the program ${JSON.stringify(command)} could not be started (EACCES)`);
  });

  test('is not run where execPlugins is false', async () => {
    const exec = { apiVersion: V1, command: 'x' };
    const error = await failureOf(kubeconfigTransport({ text: configOf({ user: { exec } }), execPlugins: false }));
    expect(error.message).toBe('kubeconfig: the user "u" needs a program (exec), and execPlugins is false');
  });

  test('is killed when the transport is closed, and a call that waits for it ends with its signal', async () => {
    const folder = folderOfTest();
    const command = plugin(folder, `echo $$ > "${folder}/pid"; exec sleep 60`);
    const transport = await open({ text: configOf({ user: { exec: { apiVersion: V1, command } } }) });
    const reason = new Error('enough');
    const controller = new AbortController();
    const failed = failureOf(clientOver(transport).get({ name: 'a' }, { signal: controller.signal }));
    while (!existsSync(join(folder, 'pid')) || readFileSync(join(folder, 'pid'), 'utf8') === '') await delay(5);
    controller.abort(reason);
    expect(await failed).toBe(reason);
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    expect(isRunning(pid)).toBe(true);
    await transport.close();
    while (isRunning(pid)) await delay(5);
  });
});

describe('inClusterTransport', () => {
  test('reads the server from the environment, and token, authority and namespace from files', async () => {
    const directory = folderOfTest();
    for (const [name, text] of Object.entries({ token: 't\n', 'ca.crt': 'no certificate', namespace: 'shop\n' })) {
      writeFileSync(join(directory, name), text);
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    expect((await failureOf(inClusterTransport({ directory }))).message).toMatch(/^not in a cluster/);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '::1');
    expect((await failureOf(inClusterTransport({ directory }))).message).toMatch(/^not in a cluster/);
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '1');
    const transport = closedLater(await inClusterTransport({ directory }));
    expect(transport.namespace).toBe('shop');
    const error = await failureOf(clientOver(transport).get({ name: 'a' }));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(error.message).toContain('[::1]:1');
    vi.stubEnv('KUBECONFIG', join(directory, 'absent'));
    expect(closedLater(await defaultTransport()).namespace).toBeUndefined();
  });

  test.each([
    ['there is none', undefined, 'ENOENT'],
    ['it has no certificate', '-----BEGIN PRIVATE KEY-----', 'it has no certificate in PEM'],
  ])('warns and trusts the authorities of the system where ca.crt cannot be used: %s', async (_, text, fault) => {
    const directory = folderOfTest();
    writeFileSync(join(directory, 'token'), 't');
    if (text !== undefined) writeFileSync(join(directory, 'ca.crt'), text);
    const { server, ca, seen } = await noting();
    const { hostname, port } = new URL(server);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
    vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
    onTestFinished(() => void vi.unstubAllEnvs());
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    const transport = closedLater(await inClusterTransport({ directory }));
    expect(String(warned.mock.calls[0]?.[0])).toContain(fault);
    // The certificate of the server is checked, with authorities that do not know it.
    const error = await failureOf(clientOver(transport).get({ name: 'a' }));
    expect(error.message).toContain('self-signed certificate');

    writeFileSync(join(directory, 'ca.crt'), atob(ca));
    await clientOver(closedLater(await inClusterTransport({ directory }))).get({ name: 'a' });
    expect(seen).toEqual(['Bearer t']);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  test('does not take the place of a context that is named', async () => {
    const path = join(folderOfTest(), 'config');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '127.0.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '1');
    vi.stubEnv('KUBECONFIG', path);
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const text of [undefined, '{}', JSON.stringify({ clusters: [{ name: 'c', cluster: { server: 'a' } }] })]) {
      if (text !== undefined) writeFileSync(path, text);
      expect((await failureOf(defaultTransport({ context: 'prod' }))).message).toBe(
        `kubeconfig: there is no context "prod" in ${path}`,
      );
      expect(closedLater(await defaultTransport())).toBeDefined();
    }
    writeFileSync(path, JSON.stringify({ 'current-context': 'test' }));
    expect((await failureOf(defaultTransport())).message).toBe('kubeconfig: there is no context "test"');
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
