import type { Event, EventSink } from 'kube-vitals/client';
import type { CursorFile } from './cursor-file.js';
import { post, type PostOptions } from './post.js';

/** The longest message that is readable, in characters. */
const MAX_TEXT = 3_000;

/** Characters that Slack and compatible services read as markup of links and mentions. */
const plain = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** An event as a line of a chat. */
export function chatLine({ type, reason = '', note = '', regarding = {}, series }: Event): string {
  const icon = type === 'Warning' ? ':warning:' : ':information_source:';
  const times = series === undefined ? '' : ` (${series.count}×)`;
  return `${icon} *${plain(reason)}* ${plain(`${regarding.kind ?? ''}/${regarding.name ?? ''}${times}: ${note.trim()}`)}`;
}

/** Posts batches as messages, one line an event, to an incoming webhook of Slack or a compatible service. */
export function slackSink(options: PostOptions, cursor: CursorFile): EventSink {
  return {
    cursor: cursor.read,
    async write(events, next) {
      const text = events.map(chatLine).join('\n');
      const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
      await post(options, 'application/json', JSON.stringify({ text: shown }));
      await cursor.write(next);
    },
  };
}
