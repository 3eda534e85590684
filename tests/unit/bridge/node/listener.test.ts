import { expect, test, vi } from 'vitest';
import { createHealth } from '../../../../src/health.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import { toNodeListener } from '../../../../src/node.js';
import { Incoming, serve, settled } from './hand-made.js';

test('a listener that was passed in place of a handler causes an error that explains what to do', async () => {
  const inner = toNodeListener(createHealth().handle) as unknown as ApiHandler;
  const onError = vi.fn();
  serve(inner, new Incoming(), { onError });
  await settled();
  expect(onError.mock.calls).toEqual([
    [
      new TypeError(
        'a listener was called without a response: pass it to createServer or app.use, and handlers such as health.handle to toNodeListener',
      ),
      'handler',
    ],
  ]);
});
