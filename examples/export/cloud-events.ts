import type { Event, EventSink } from 'kube-vitals/client';
import type { CursorFile } from './cursor-file.js';
import { lastTime } from './last-time.js';
import { post, type PostOptions } from './post.js';

/** An event as a CloudEvent 1.0. Source and id together are unique for each version, so that receivers can leave out repetitions. */
export function cloudEvent(event: Event, source: string): object {
  const { metadata, regarding = {} } = event;
  return {
    specversion: '1.0',
    id: `${metadata.uid}@${metadata.resourceVersion}`,
    source,
    type: `io.k8s.events.v1.${event.type ?? 'Normal'}`,
    subject: [regarding.kind, regarding.namespace, regarding.name].filter(Boolean).join('/'),
    time: lastTime(event),
    datacontenttype: 'application/json',
    data: event,
  };
}

/** Posts every event as a CloudEvent, in structured mode (HTTP binding 3.2). `source` is a URI that names the server. */
export function cloudEventsSink(options: PostOptions & { readonly source: string }, cursor: CursorFile): EventSink {
  return {
    cursor: cursor.read,
    async write(events, next) {
      for (const event of events) {
        await post(options, 'application/cloudevents+json', JSON.stringify(cloudEvent(event, options.source)));
      }
      await cursor.write(next);
    },
  };
}
