import { expect, onTestFinished, test } from 'vitest';
import { grpcConnect } from '../../../../src/store/etcd/grpc-connection.js';
import { etcdSettings } from '../../../../src/store/etcd/options.js';

test('the message of a refused connection ends with its reason', async () => {
  const [connection] = await grpcConnect(etcdSettings({ endpoints: ['http://127.0.0.1:1'] }));
  onTestFinished(() => connection?.close());
  await expect(connection?.range({ key: new Uint8Array(1) }, undefined).done).rejects.toMatchObject({
    message: expect.stringMatching(/connect ECONNREFUSED 127\.0\.0\.1:1$/) as string,
    sent: false,
  });
});
