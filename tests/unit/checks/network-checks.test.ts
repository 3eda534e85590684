import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer, Socket, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { certificateCheck, dnsCheck, httpCheck, tcpCheck, type HealthCheck } from '../../../src/checks.js';
import { whileConnected } from '../../../src/checks/network.js';
import { createHealth } from '../../../src/index.js';
import { fakeClock } from '../../../src/testing.js';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function verdictOf(
  check: HealthCheck,
): Promise<{ readonly status: string; readonly reason?: string | undefined }> {
  const health = createHealth();
  health.add(check);
  return (await health.report('readyz')).checks.find(({ name }) => name === check.name) ?? { status: 'absent' };
}

describe('tcpCheck', () => {
  it('passes where a server listens, and names the fault where none does', async () => {
    const server = createTcpServer((socket) => socket.on('error', () => undefined));
    const port = await listen(server);
    expect(await verdictOf(tcpCheck({ host: '127.0.0.1', port }))).toMatchObject({ name: 'tcp', status: 'ok' });
    await new Promise((resolve) => server.close(resolve));
    expect(await verdictOf(tcpCheck({ host: '127.0.0.1', port }))).toMatchObject({
      status: 'failed',
      reason: `connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it('lets go of the connection when it is aborted', async () => {
    const aborting = new AbortController();
    const { check } = tcpCheck({ host: '192.0.2.1', port: 81 });
    const pending = check({ signal: aborting.signal });
    aborting.abort(new Error('over'));
    await expect(pending).rejects.toThrow(/over|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED/);
  });
});

describe('a connection of a check', () => {
  it('that fails right after it was made fails nothing else', async () => {
    const socket = new Socket();
    const { signal } = new AbortController();
    const used = whileConnected(socket, 'secureConnect', signal, () => 'used');
    socket.emit('secureConnect');
    // Bytes after the handshake that are not TLS: without a listener this would end the process.
    socket.emit('error', new Error('wrong version number'));
    expect(await used).toBe('used');
    expect(socket.destroyed).toBe(true);
  });
});

describe('dnsCheck', () => {
  it('passes for a name with an address, and fails for one without', async () => {
    expect(await verdictOf(dnsCheck({ hostname: 'localhost' }))).toMatchObject({ name: 'dns', status: 'ok' });
    // RFC 6761: never resolves.
    expect(await verdictOf(dnsCheck({ hostname: 'no-such-host.invalid', timeoutMs: 5_000 }))).toMatchObject({
      status: 'failed',
    });
  });
});

describe('httpCheck', () => {
  it('checks the status, without following redirects, and gives it as the reason', async () => {
    const seen: string[] = [];
    const port = await listen(
      createServer((request, response) => {
        seen.push(`${request.method} ${String(request.headers['x-probe'])}`);
        const status = Number(request.url?.slice(1));
        // 599 as over HTTP/2, which has no text for a status.
        response
          .writeHead(status, ...(status === 599 ? [''] : []), status === 302 ? { location: '/500' } : {})
          .end('x');
      }),
    );
    const ask = (status: number, more: object = {}): ReturnType<typeof verdictOf> =>
      verdictOf(httpCheck({ url: `http://127.0.0.1:${port}/${status}`, ...more }));
    expect(await ask(200, { method: 'HEAD', headers: { 'x-probe': 'a' } })).toMatchObject({
      name: 'http',
      status: 'ok',
    });
    expect(seen).toEqual(['HEAD a']);
    expect(await ask(302)).toMatchObject({ status: 'ok' });
    expect(await ask(503)).toMatchObject({ status: 'failed', reason: 'answered 503 Service Unavailable' });
    expect(await ask(503, { statuses: [503] })).toMatchObject({ status: 'ok' });
    expect(await ask(200, { statuses: [204] })).toMatchObject({ status: 'failed', reason: 'answered 200 OK' });
    expect(await ask(599, { statuses: [204] })).toMatchObject({ status: 'failed', reason: 'answered 599' });
    expect(await ask(599)).toMatchObject({ status: 'failed', reason: 'answered 599' });
  });

  it.each([null, 5, 'ab', ['a']])('refuses %j in place of headers', (headers) => {
    expect(() => httpCheck({ url: 'http://a/', headers: headers as never })).toThrow(
      new TypeError('httpCheck: headers must be an object'),
    );
  });

  it('accepts only a URL with http or https, and headers that are strings', () => {
    for (const url of ['ftp://a/', 'a', 5, 'http://user:secret@a/', new URL('https://user@a/')])
      expect(() => httpCheck({ url: url as string })).toThrow('url must be a URL with http');
    expect(() => httpCheck({ url: 'http://a/', headers: { a: 1 as never } })).toThrow('headers.a must be a string');
  });

  it.each([
    ['bad name', 'secret'],
    ['authorization', 'Bearer secret\nx'],
    ['authorization', 'Bearer secret…'],
  ])('refuses the header %j: %j, which fetch cannot send, without repeating its value', (name, value) => {
    expect(() => httpCheck({ url: 'http://a/', headers: { [name]: value } })).toThrow(
      new TypeError(`httpCheck: headers.${name} must be a header that fetch can send`),
    );
  });
});

describe('certificateCheck', () => {
  const validFor = (days: number): Promise<{ cert: string; private: string }> =>
    generate([{ name: 'commonName', value: 'localhost' }], {
      notAfterDate: new Date(Date.now() + days * 86_400_000),
      keySize: 2048,
    });

  it('passes, is degraded shortly before the end, and fails after it, from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-certificate-'));
    const file = join(folder, 'cert.pem');
    writeFileSync(file, (await validFor(30)).cert);
    try {
      const clock = fakeClock({ now: Date.now() * 1_000 });
      const ask = (): ReturnType<typeof verdictOf> => verdictOf(certificateCheck({ file, clock }));
      expect(await ask()).toMatchObject({ name: 'certificate', status: 'ok' });
      clock.advance(24 * 86_400_000);
      expect(await ask()).toMatchObject({
        status: 'degraded',
        reason: expect.stringMatching(/^expires in [56]\.\d days, at /) as unknown,
      });
      clock.advance(7 * 86_400_000);
      expect(await ask()).toMatchObject({ status: 'failed', reason: expect.stringMatching(/^expired at /) as unknown });
      clock.setNow(0);
      expect(await ask()).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/^not valid before /) as unknown,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads the certificate of a server, trusted or not', async () => {
    const { cert, private: key } = await validFor(3);
    const port = await listen(createTlsServer({ cert, key }, (socket) => socket.on('error', () => undefined)));
    expect(await verdictOf(certificateCheck({ host: '127.0.0.1', port }))).toMatchObject({
      status: 'degraded',
      reason: expect.stringMatching(/^expires in [23]\.\d days/) as unknown,
    });
    expect(await verdictOf(certificateCheck({ host: '127.0.0.1', port, minRemainingMs: 1_000 }))).toMatchObject({
      status: 'ok',
    });
  });

  it('asks for the certificate of the server name or of the host, but names no address', async () => {
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void): void => {
      names.push(name);
      done(null);
    };
    const { cert, private: key } = await validFor(3);
    const port = await listen(createTlsServer({ cert, key, SNICallback }));
    for (const options of [{ host: 'localhost' }, { host: '127.0.0.1' }, { host: '127.0.0.1', servername: 'a.test' }]) {
      await verdictOf(certificateCheck({ ...options, port }));
    }
    expect(names).toEqual(['localhost', 'a.test']);
  });

  it('ends with the signal of its run, and leaves no connection open', async () => {
    const [opened, closed] = [vi.fn(), vi.fn()];
    const server = createTcpServer((socket) => {
      opened();
      socket
        .on('error', () => undefined)
        .on('close', closed)
        .resume();
    });
    const running = new AbortController();
    const { signal } = running;
    const result = certificateCheck({ host: '127.0.0.1', port: await listen(server) }).check({ signal });
    await vi.waitFor(() => expect(opened).toHaveBeenCalled());
    const reason = new Error('the run is over');
    running.abort(reason);
    await expect(result).rejects.toBe(reason);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  it('requires either a file or a host', () => {
    expect(() => certificateCheck({})).toThrow('set either file or host');
    expect(() => certificateCheck({ file: 'a', host: 'b' })).toThrow('set either file or host');
  });
});

it('every check of the network warns when it is put into livez', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const endpoints = ['livez'] as const;
  tcpCheck({ host: 'a', port: 1, endpoints });
  dnsCheck({ hostname: 'a', endpoints });
  httpCheck({ url: 'http://a/', endpoints });
  certificateCheck({ host: 'a', endpoints });
  expect(emitWarning).toHaveBeenCalledTimes(4);
  emitWarning.mockRestore();
});
