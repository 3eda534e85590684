// A program whose only work is a write to a store that is away. It prints how the write failed.
import { etcdStore } from 'kube-vitals/etcd';
import { postgresStore } from 'kube-vitals/postgres';
import { sampleEvent } from 'kube-vitals/testing';

const [engine, address, server] = process.argv.slice(2);
const store =
  engine === 'postgres'
    ? postgresStore({ connectionString: address })
    : etcdStore({ endpoints: [address], transport: engine });
const write = (name) =>
  store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt: Date.now() * 1000 + 3_600_000_000 });
if (engine === 'postgres') {
  await write('first');
  // Ends the server while writes are under way.
  setTimeout(() => process.kill(Number(server), 'SIGQUIT'), 200).unref();
}
let failure;
for (let i = 0; failure === undefined; i++) failure = await write(`event-${i}`).then(() => undefined, String);
console.log(failure);
await store.close();
