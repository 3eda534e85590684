import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { executionAsyncResource } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { retainTickObject } from '../../../../src/bridge/node/retain-tick-object.js';
import { toNodeListener } from '../../../../src/node.js';
import { collectGarbage } from '../../../collect-garbage.js';

const tickOf = (): Promise<object> => new Promise((done) => process.nextTick(() => done(executionAsyncResource())));

/** Collects garbage while no object of process.nextTick is under way. */
async function collect(): Promise<void> {
  await new Promise((done) => setTimeout(done));
  collectGarbage();
}

function haveSameShape(one: object, other: object): boolean {
  setFlagsFromString('--allow-natives-syntax');
  return (runInThisContext('(one, other) => %HaveSameMap(one, other)') as (...objects: object[]) => boolean)(
    one,
    other,
  );
}

test('an object of process.nextTick is kept, so that those after a garbage collection have its shape', async () => {
  const kept = retainTickObject();
  expect(kept.tick).toBeUndefined();
  await tickOf();
  const { tick } = kept;
  expect(tick).toHaveProperty('callback');
  await collect();
  expect(haveSameShape(tick as object, await tickOf())).toBe(true);
});

test('a listener keeps an object of process.nextTick for as long as it exists itself', async () => {
  let listener: unknown;
  const tick = await new Promise<WeakRef<object>>((done) => {
    const { nextTick } = process;
    process.nextTick = (callback: () => void) => {
      process.nextTick = nextTick;
      nextTick(() => {
        callback();
        done(new WeakRef(executionAsyncResource()));
      });
    };
    listener = toNodeListener(() => undefined);
  });
  await collect();
  expect(tick.deref()).toBeDefined();
  expect(listener).toBeTypeOf('function');
  listener = undefined;
  await collect();
  expect(tick.deref()).toBeUndefined();
});
