import { atNextTurn } from '../../clock/clock.js';

export type BodyBatcher = ReturnType<typeof createBodyBatcher>;

interface Arrived {
  readonly take: (bytes: Uint8Array) => void;
  readonly bytes: Uint8Array;
}

/**
 * Hands over the bodies of one turn after the last socket was read: alternating evicts the code of both from the
 * processor's caches. Creates take 10 to 20 % less CPU.
 *
 * @param scheduled is called when a handover has been scheduled
 */
export function createBodyBatcher(scheduled: () => void) {
  let waiting: Arrived[] = [];

  const handOver = (): void => {
    const arrived = waiting;
    waiting = [];
    for (const { take, bytes } of arrived) take(bytes);
  };
  return {
    add(take: Arrived['take'], bytes: Uint8Array): void {
      if (waiting.push({ take, bytes }) > 1) return;
      atNextTurn(handOver);
      scheduled();
    },
  };
}
