import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { probeCommand } from '../../../../src/cli/probe/probe-command.js';
import { runProgram } from '../../../../src/cli/program.js';
import { createHealth } from '../../../../src/index.js';
import { toNodeListener } from '../../../../src/node.js';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that sends this text to each client, and leaves the connection open. */
async function serveRaw(text: string): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => socket.write(text));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function probe(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const code = await runProgram(['probe', ...argv], '1.2.3', {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    pid: 1,
    onSignal: () => () => undefined,
  });
  return { code, ...written };
}

describe('kube-vitals probe', () => {
  it('exits with 0 for a healthy endpoint, and with 1 and its response for one that is not', async () => {
    const health = createHealth();
    let healthy = true;
    health.add({ name: 'disk', check: () => healthy });
    const url = await serve(toNodeListener(health.handle));
    expect(await probe(`${url}/readyz`)).toEqual({ code: 0, out: 'ok\n', err: '' });
    healthy = false;
    const failed = await probe(`${url}/readyz`);
    expect([failed.code, failed.out]).toEqual([1, '']);
    expect(failed.err).toMatch(/^HTTP 500\n[^]*\[-\]disk failed/);
    const spaced = await serve((_, response) => void response.end(' indented\n\n'));
    expect((await probe(spaced)).out).toBe(' indented\n');
  });

  it.each([
    [200, 0],
    [302, 0],
    [399, 0],
    [400, 1],
    [429, 1],
    [503, 1],
  ])('counts status %d as the kubelet does', async (status, code) => {
    const url = await serve((_, res) => res.writeHead(status, { location: '/elsewhere' }).end());
    expect((await probe(url)).code).toBe(code);
  });

  it('sends the headers of the kubelet, and a token only where one is given', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-probe-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    await writeFile(join(dir, 'token'), 's3cret\n');
    const url = await serve((req, res) => {
      const { authorization = 'no token', 'user-agent': agent, accept } = req.headers;
      res.end(`${authorization}; ${agent}; ${accept}`);
    });
    expect((await probe(url, '--token-file', join(dir, 'token'))).out).toBe(
      'Bearer s3cret; kube-probe/kube-vitals; */*\n',
    );
    expect((await probe(url)).out).toBe('no token; kube-probe/kube-vitals; */*\n');
  });

  it('may be sent to another machine without encryption where there is no token', () => {
    expect(probeCommand.prepare(['http://10.0.0.1:8080/readyz'])).toHaveProperty('run');
  });

  it('does not verify certificates without --ca-file', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-probe-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const [own, other] = [await generate(), await generate()];
    await writeFile(join(dir, 'other.crt'), other.cert);
    const server = createSecureServer({ key: own.private, cert: own.cert }, (_, res) => res.end('ok'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await probe(url)).toMatchObject({ code: 0, out: 'ok\n' });
    const refused = await probe(url, '--ca-file', join(dir, 'other.crt'));
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/self[- ]signed certificate/)]);
  });

  it('names the flag of a file that it cannot use', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-probe-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const der = join(dir, 'ca.der');
    await writeFile(der, Buffer.from([0x30, 0x82]));
    const url = 'https://127.0.0.1:1/livez';
    const failure = (reason: string): object => ({ code: 1, out: '', err: `error: ${url}: ${reason}\n` });
    expect(await probe(url, '--ca-file', dir)).toEqual(failure(`--ca-file: cannot read ${dir} (EISDIR)`));
    expect(await probe(url, '--ca-file', der)).toEqual(failure(`--ca-file: ${der} contains no certificate in PEM`));
    const token = await probe('http://127.0.0.1:1/livez', '--token-file', dir);
    expect(token.err).toContain(`--token-file: cannot read ${dir} (EISDIR)`);
    await writeFile(join(dir, 'empty'), ' \n');
    const empty = await probe('http://127.0.0.1:1/livez', '--token-file', join(dir, 'empty'));
    expect(empty.err).toContain(`--token-file: ${join(dir, 'empty')} contains no token`);
    const endless = await probe('http://127.0.0.1:1/livez', '--token-file', '/dev/zero');
    expect(endless.err).toContain('--token-file: /dev/zero is larger than 4194304 bytes');
  });

  it('verifies with --ca-file a certificate that is in the file itself, without the authority that signed it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-probe-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const signed = async (): Promise<{ private: string; cert: string }> => {
      const authority = await generate([{ name: 'commonName', value: 'authority' }]);
      const extensions = [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }];
      const ca = { key: authority.private, cert: authority.cert };
      return generate([{ name: 'commonName', value: 'localhost' }], { ca, extensions } as never);
    };
    const [own, other] = await Promise.all([signed(), signed()]);
    await writeFile(join(dir, 'own.crt'), own.cert);
    await writeFile(join(dir, 'other.crt'), other.cert);
    await writeFile(join(dir, 'token'), 's3cret');
    const server = createSecureServer({ key: own.private, cert: own.cert }, (req, res) => {
      res.end(req.headers.authorization ?? 'ok');
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    expect(await probe(url, '--ca-file', join(dir, 'own.crt'))).toMatchObject({ code: 0, out: 'ok\n' });
    const withToken = await probe(url, '--ca-file', join(dir, 'own.crt'), '--token-file', join(dir, 'token'));
    expect(withToken).toMatchObject({ code: 0, out: 'Bearer s3cret\n' });
    expect(await probe(url, '--ca-file', join(dir, 'other.crt'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/unable to verify the first certificate|self[- ]signed|unable to get/) as unknown,
    });
  });

  it('fails after --timeout, also when a response has begun', async () => {
    const silent = await serve(() => undefined);
    expect(await probe(silent, '--timeout=50ms')).toEqual({
      code: 1,
      out: '',
      err: `error: ${silent}/: no response within 50 ms\n`,
    });
    const slow = await serve((_, res) => void res.write('o'));
    expect((await probe(slow, '--timeout=50ms')).err).toBe(`error: ${slow}/: no response within 50 ms\n`);
    const endless = await serveRaw('HTTP/1.1 200 OK\r\n\r\nok');
    expect(await probe(endless, '--timeout=100ms')).toEqual({
      code: 1,
      out: '',
      err: `error: ${endless}/: no response within 100 ms\n`,
    });
  });

  it('takes a --timeout that is no whole number of milliseconds, and waits at least as long', async () => {
    const silent = await serve(() => undefined);
    expect(await probe(silent, '--timeout=50.2ms')).toEqual({
      code: 1,
      out: '',
      err: `error: ${silent}/: no response within 51 ms\n`,
    });
  });

  it('prints no more than 4 KiB of a response that never ends', async () => {
    const url = await serve((_, res) => {
      const more = (): void => void (res.writable && (res.write('x'.repeat(10_000)), setImmediate(more)));
      more();
    });
    const { code, out } = await probe(url);
    expect([code, out.length]).toEqual([0, 4_097]);
  });

  it('does not wait for more than 4 KiB of a response', async () => {
    const url = await serve((_, res) => void res.write('x'.repeat(4_096)));
    expect(await probe(url, '--timeout=1m')).toEqual({ code: 0, out: `${'x'.repeat(4_096)}\n`, err: '' });
  });

  it('prints a character whose bytes arrive apart from each other', async () => {
    const [first, second] = [Buffer.from([0xc3]), Buffer.from([0xa9])];
    const url = await serve((_, res) => {
      res.write(first);
      let turns = 100;
      const later = (): unknown => (turns-- > 0 ? setImmediate(later) : res.end(second));
      later();
    });
    expect(await probe(url, '--timeout=1m')).toEqual({ code: 0, out: 'é\n', err: '' });
  });

  it('reports why there was no response', async () => {
    const { code, err } = await probe('http://127.0.0.1:1/readyz');
    expect([code, err]).toEqual([1, 'error: http://127.0.0.1:1/readyz: connect ECONNREFUSED 127.0.0.1:1\n']);
  });

  it('reports a server that does not speak TLS in one line, without a line of the source of OpenSSL', async () => {
    const url = (await serve((_req, res) => void res.end())).replace('http:', 'https:');
    const { code, err } = await probe(url);
    expect([code, err]).toEqual([1, `error: ${url}/: TLS failed: wrong version number\n`]);
  });

  it('fails when the server switches to another protocol', async () => {
    const url = await serveRaw('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    const { code, err } = await probe(url, '--timeout=2s');
    expect([code, err]).toEqual([1, `error: ${url}/: the connection was closed without a response\n`]);
  });

  it.each([
    [[], 'missing argument: URL'],
    [['readyz'], 'invalid argument "readyz" for URL: must be an http:// or https:// URL without a user'],
    [['ftp://a/'], 'invalid argument "ftp://a/" for URL: must be an http:// or https:// URL without a user'],
    [['shttp://a/'], 'invalid argument "shttp://a/" for URL: must be an http:// or https:// URL without a user'],
    [['httpx://a/'], 'invalid argument "httpx://a/" for URL: must be an http:// or https:// URL without a user'],
    [['http://a@b/'], 'invalid argument "http://a@b/" for URL: must be an http:// or https:// URL without a user'],
    [
      ['http://:s3cret@b/'],
      'invalid argument with a password for URL: must be an http:// or https:// URL without a user',
    ],
    [
      ['http://a:s3cret@b/'],
      'invalid argument with a password for URL: must be an http:// or https:// URL without a user',
    ],
    [['http://a/', '--timeout=0s'], 'invalid argument "0s" for "--timeout" flag: must be from 1ms to 1h'],
    [
      ['https://a/', '--token-file=t'],
      '--token-file needs --ca-file: a token is not sent to a server that is not verified',
    ],
    [
      ['http://10.0.0.1:8080/', '--token-file=t'],
      '--token-file needs an https URL: a token is not sent unencrypted over a network',
    ],
    [['http://127.0.0.1:0/'], 'invalid argument "127.0.0.1:0" for URL: 0 is not a port'],
  ])('refuses %j with one line', async (argv, error) => {
    expect(await probe(...argv)).toEqual({ code: 2, out: '', err: `error: ${error}; see kube-vitals probe --help\n` });
  });
});
