// Writes to a store and prints: `t name version` before an attempt, `a name version revision` when it was acknowledged,
// `f code message` when it failed. Version -1 is a removal. Output is written at once: it survives kill -9.
import { writeSync } from 'node:fs';
import { sqliteStore } from 'kube-vitals/sqlite';
import { sampleEvent } from 'kube-vitals/testing';

const [path, mode, writers, round] = process.argv.slice(2);
const nap = new Int32Array(new SharedArrayBuffer(4));
function say(...words) {
  for (;;) {
    try {
      writeSync(1, `${words.join(' ')}\n`);
      return;
    } catch (error) {
      // The pipe is full: whoever reads it is busy.
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(nap, 0, 0, 2);
    }
  }
}
const expiresAt = Date.now() * 1000 + 3_600_000_000;
const store = sqliteStore({ path });
const keyOf = (name) => ({ namespace: 'default', name });
const eventOf = (name, version) => sampleEvent({ name, note: `version ${version} ${'x'.repeat(600)}` });

async function attempt(name, version, write) {
  say('t', name, version);
  try {
    const { revision } = await write();
    say('a', name, version, revision);
    return revision;
  } catch (error) {
    say('f', error.code, error.message);
    return undefined;
  }
}

const create = (name) => attempt(name, 0, () => store.create(keyOf(name), eventOf(name, 0), { expiresAt }));
const replace = (name, version, expected) =>
  attempt(name, version, () => store.replace(keyOf(name), eventOf(name, version), { expiresAt, expected }));
const remove = (name) => attempt(name, -1, () => store.remove(keyOf(name)));

async function writeOn(writer) {
  for (let i = 0; ; i++) {
    const name = `event-${round}-${writer}-${i}`;
    const first = await create(name);
    if (first === undefined) return;
    const second = await replace(name, 1, first);
    if (second === undefined) return;
    if (i % 3 === 0 && (await remove(name)) === undefined) return;
  }
}

for (let isOpen = false; mode === 'wait' && !isOpen; await new Promise((resolve) => setTimeout(resolve, 50))) {
  isOpen = await store.ping().then(
    () => true,
    ({ message }) => say('refused', message),
  );
}
await store.ping();
say('open', await store.revision());
if (mode === 'hold' || mode === 'wait') setInterval(() => undefined, 1000);
if (mode === 'write') await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => writeOn(writer)));
if (mode === 'until-full') {
  await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => writeOn(writer)));
  const { records } = await store.list({ limit: 100_000 });
  say('read', records.length);
  say(
    'ping',
    await store.ping().then(
      () => 'well',
      (error) => error.code,
    ),
  );
  let removed = 0;
  for (const { key } of records.slice(0, 20)) if ((await remove(key.name)) !== undefined) removed++;
  say('removed', removed);
  await store.close();
}
