import { atNextTurn } from '../../clock/clock.js';
import { endEmptyRequest } from './end-request.js';
import { isPending } from './transfers.js';
import type { NodeExchange } from './node-exchange.js';
import { createWholeWriter } from './whole-writer.js';

/** Largest number of responses in a batch, so that the first does not wait for too many others. */
const BATCH_SIZE = 32;

interface Waiting {
  readonly exchange: NodeExchange;
  readonly content: string | Uint8Array;
  /** See `end` of `NodeOutgoing`. */
  readonly sent: (() => void) | undefined;
}

/**
 * Sends the responses of one turn of the event loop together, after its last request. Each write to a socket wakes its
 * reader, and alternating evicts both from the processor's caches: with 64 requests in flight a get takes 28 µs of CPU
 * in place of 39, a create 95 in place of 135.
 *
 * Each response is sent by a callback of one promise, so that its listeners and what replaces its functions run in the
 * AsyncLocalStorage context of their own request.
 *
 * @param onPending is called for responses that the client has not read at once; neither function may throw
 */
export function createResponseBatcher(
  onError: (exchange: NodeExchange, error: unknown) => void,
  onPending: (exchange: NodeExchange) => void,
) {
  let waiting = 0;
  let scheduled = false;
  let turn: Promise<void> | undefined;
  let begin: () => void = () => undefined;
  const writeWhole = createWholeWriter();

  const flush = (): void => {
    waiting = 0;
    turn = undefined;
    begin();
  };
  const onTurn = (): void => {
    scheduled = false;
    flush();
  };
  const send = ({ exchange, content, sent }: Waiting): void => {
    try {
      const { req, res } = exchange;
      if (writeWhole(res, content)) {
        sent?.();
        // The request of a client that leaves before it has received everything must still be aborted.
        if (!isPending(res)) endEmptyRequest(req);
        res.end();
      } else if (content.length === 0) {
        res.end();
      } else {
        res.end(content, sent);
      }
      if (isPending(res)) onPending(exchange);
    } catch (error) {
      onError(exchange, error);
    }
  };
  const arm = (): void => {
    if (scheduled) return;
    scheduled = true;
    atNextTurn(onTurn);
  };
  return {
    /**
     * Sends the next batch right after what is scheduled for the next turn of the event loop. Responses that are made
     * there would otherwise wait for one more turn, which takes 2 % of the CPU of a create, with one client or sixty-four.
     */
    schedule: (): void => arm(),
    end(exchange: NodeExchange, content: Waiting['content'], sent: Waiting['sent']): void {
      arm();
      turn ??= new Promise((resolve) => (begin = resolve));
      void turn.then(() => send({ exchange, content, sent }));
      waiting += 1;
      if (waiting === BATCH_SIZE) flush();
    },
  };
}
