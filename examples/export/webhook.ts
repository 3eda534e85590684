import type { EventSink } from 'kube-vitals/client';
import type { CursorFile } from './cursor-file.js';
import { post, type PostOptions } from './post.js';

/** Posts batches as they are: `{ "cursor": …, "events": […] }`. A receiver that sees a cursor again may leave the batch out. */
export function webhookSink(options: PostOptions, cursor: CursorFile): EventSink {
  return {
    cursor: cursor.read,
    async write(events, next) {
      await post(options, 'application/json', JSON.stringify({ cursor: next, events }));
      await cursor.write(next);
    },
  };
}
