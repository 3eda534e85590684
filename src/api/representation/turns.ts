import { nextTurn } from '../../clock/clock.js';

/** So much JSON is rewritten in one turn of the event loop: 5 to 10 ms as YAML, less as protobuf. */
const BYTES_IN_A_TURN = 32_768;

/** For work on many objects: told of the bytes of each, it gives something to wait for when it is time for another turn. */
export function createTurns(): (bytes: number) => Promise<void> | undefined {
  let left = BYTES_IN_A_TURN;
  return (bytes) => {
    left -= bytes;
    if (left > 0) return undefined;
    left = BYTES_IN_A_TURN;
    return nextTurn();
  };
}
