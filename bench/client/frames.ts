import type { BodySink } from './connection.js';

/** Counts frames: each ends with the only line break it has. */
export function frameCounter(onFrames: (count: number) => void): BodySink {
  return (bytes, start, end) => {
    let count = 0;
    for (let at = bytes.indexOf(10, start); at !== -1 && at < end; at = bytes.indexOf(10, at + 1)) count += 1;
    if (count > 0) onFrames(count);
  };
}

/** How far into a frame the event's name is: metadata comes first, and the name first in it. */
const HEAD_BYTES = 260;

/** Calls back with the beginning of every frame, once the whole frame has arrived. */
export function frameReader(onFrame: (head: string) => void): BodySink {
  let head = '';
  return (bytes, start, end) => {
    let from = start;
    while (from < end) {
      const found = bytes.indexOf(10, from);
      const to = found === -1 || found >= end ? end : found;
      if (head.length < HEAD_BYTES)
        head += bytes.toString('latin1', from, Math.min(to, from + HEAD_BYTES - head.length));
      if (to === end) return;
      onFrame(head);
      head = '';
      from = to + 1;
    }
  };
}
