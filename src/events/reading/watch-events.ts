import { readListOptions, type ListOptions } from '../../api/options/list-options.js';
import type { Query } from '../../api/options/query.js';
import { readSelection } from '../listing/list-query.js';
import type { FrameEncoder } from '../../api/representation/contract.js';
import type { VerbCall, Result } from '../request/call.js';
import type { WatchedSelection } from '../request/watched-selections.js';
import { WatchStream } from '../watching/watch-stream.js';

const NO_QUERY: Query = new Map();

/** A stream of changes. What fails before it starts is an ordinary answer, what fails later an ERROR frame. */
export function watchEvents(call: VerbCall): Result {
  const options = readListOptions(call.query, true);
  const { labelSelector, fieldSelector } = options;
  const { version, scope, dependencies } = call;
  const texts = [version.view.apiVersion, scope.name, labelSelector, fieldSelector];
  const selection = dependencies.watchedSelections.of(texts, () => readSelection(call, options));
  // A watch may last for an hour: it keeps what was made of the texts, and not the texts.
  const lasting = { ...call, query: NO_QUERY };
  const rest = { ...options, labelSelector: '', fieldSelector: '' };
  return { kind: 'watch', frames: (encoder, onEnd) => openWatch(lasting, rest, selection, encoder, onEnd) };
}

/** The frames of one watch, as chunks ready to be written. `onEnd` is called once, whatever ends it. */
export function openWatch(
  call: VerbCall,
  options: ListOptions,
  { selector, key }: WatchedSelection,
  encoder: FrameEncoder,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  return new WatchStream({ call, options, selector, selectionKey: key, encoder }, onEnd).frames;
}
