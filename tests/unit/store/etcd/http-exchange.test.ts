import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { loadHttp } from '../../../../src/store/etcd/http-exchange.js';
import type { EtcdSettings } from '../../../../src/store/etcd/options.js';

interface Pem {
  readonly private: string;
  readonly cert: string;
}

/** A certificate that an authority of its own has signed. */
async function signed(): Promise<Pem> {
  const authority = await generate([{ name: 'commonName', value: 'authority' }]);
  return generate([{ name: 'commonName', value: 'etcd.example' }], {
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'etcd.example' }] }],
  } as never);
}

test('the certificate of a member is trusted as ca without the authority that signed it, and no other is', async () => {
  const [own, other] = await Promise.all([signed(), signed()]);
  const server = createServer({ key: own.private, cert: own.cert }, (_, response) => response.end('{}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = await loadHttp();
  const ask = (ca: string): Promise<number | Error> => {
    const settings = { tls: { ca, serverName: 'etcd.example' }, requestTimeoutMs: 5_000 } as EtcdSettings;
    const connections = open(endpoint, settings, 1);
    onTestFinished(() => connections.close());
    return new Promise((resolve) => {
      connections.send('/version', {}, undefined, {
        started: resolve,
        data: () => undefined,
        ended: () => undefined,
        failed: resolve,
      });
    });
  };
  expect(await ask(own.cert)).toBe(200);
  expect(await ask(other.cert)).toBeInstanceOf(Error);
});
