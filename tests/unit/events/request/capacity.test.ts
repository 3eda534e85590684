import { expect, test, vi } from 'vitest';
import { holdBytes } from '../../../../src/events/request/capacity.js';
import type { VerbCall } from '../../../../src/events/request/call.js';

test('a list that is read after a body of unknown length counts with its own bytes', async () => {
  const hold = vi.fn();
  const heldBytes = { become: vi.fn(), grow: () => true, release: () => undefined };
  await holdBytes({ dependencies: { limits: { hold } }, life: { heldBytes } } as unknown as VerbCall, 33_554_432);
  expect(heldBytes.become).toHaveBeenCalledWith(33_554_432);
  expect(hold).not.toHaveBeenCalled();
});
