import { expect, test, vi } from 'vitest';
import { storeError } from '../../../../src/store/contract/errors.js';
import { createOpening } from '../../../../src/store/shell/opening.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

test('a failed opening fails all callers until its pause is over, then it is tried again', async () => {
  const clock = fakeClock();
  let attempts = 0;
  const opening = createOpening(
    async () => {
      if (++attempts < 3) throw new Error(`attempt ${attempts}`);
    },
    { clock },
  );
  await expect(opening.ready()).rejects.toThrow('attempt 1');
  await expect(opening.ready()).rejects.toThrow('attempt 1');
  clock.advance(101);
  await expect(opening.ready()).rejects.toThrow('attempt 2');
  clock.advance(101);
  await expect(opening.ready()).rejects.toThrow('attempt 2');
  clock.advance(101);
  await opening.ready();
  expect([attempts, opening.isOpen]).toEqual([3, true]);
});

test('an opening that failed changed nothing, so that every failure is unavailable', async () => {
  for (const cause of [new Error('no route'), storeError('unknown-outcome', 'the mark was lost'), 'odd']) {
    const opening = createOpening(() => Promise.reject(cause as Error), { clock: fakeClock() });
    await expect(opening.ready()).rejects.toMatchObject({ code: 'unavailable', cause });
  }
  const expired = storeError('expired', 'too old');
  await expect(createOpening(() => Promise.reject(expired)).ready()).rejects.toBe(expired);
});

test('an opening whose write was refused refuses reads as well', async () => {
  const cause = storeError('unavailable', 'the disk is full', { onlyWrites: true });
  const error: unknown = await createOpening(() => Promise.reject(cause))
    .ready()
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'unavailable', message: 'the disk is full', cause });
  expect(error).not.toHaveProperty('onlyWrites');
});

test('an opening that throws, or returns no promise, is one that has failed or succeeded', async () => {
  const clock = fakeClock();
  let attempts = 0;
  const opening = createOpening(
    () => {
      if (++attempts === 1) throw new Error('no such file');
      return undefined as never;
    },
    { clock },
  );
  await expect(opening.ready()).rejects.toMatchObject({ code: 'unavailable', message: 'no such file' });
  clock.advance(101);
  await opening.ready();
  expect([attempts, opening.isOpen]).toEqual([2, true]);
});

test('closing releases callers that wait for an opening', async () => {
  const opening = createOpening(() => new Promise(() => undefined), { clock: fakeClock() });
  const waiting = opening.ready();
  opening.close(storeError('closed', 'closed'));
  await expect(waiting).rejects.toMatchObject({ code: 'closed' });
  await expect(opening.ready()).rejects.toMatchObject({ code: 'closed' });
});

test('callers that wait add no listeners of their own', async () => {
  const add = vi.spyOn(AbortSignal.prototype, 'addEventListener');
  const opening = createOpening(() => new Promise(() => undefined), { clock: fakeClock() });
  const waiting = Array.from({ length: 20 }, () => opening.ready());
  expect(add).toHaveBeenCalledTimes(1);
  add.mockRestore();
  opening.close(storeError('closed', 'closed'));
  for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'closed' });
});
