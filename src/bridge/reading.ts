/**
 * A body that is being read. Node tells nothing of the end of a request that was answered before its body had come, so who
 * answers ends the reading.
 */
export interface Reading {
  /** Nobody waits for the body any more: the reader rejects with a `BodyError`. Set while it waits. */
  stop: (() => void) | undefined;
}
