import { NO_QUERY } from '../../http/url.js';
import { readListOptions, requireResourceVersion } from '../../api/options/list-options.js';
import { readSelection } from '../listing/list-query.js';
import type { VerbCall, Result } from '../request/call.js';
import { WatchStream } from '../watching/watch-stream.js';

/** Returns a stream of changes. A failure before it starts is an ordinary response, a later one is an ERROR frame. */
export function watchEvents(call: VerbCall): Result {
  const options = readListOptions(call.query, true);
  const { labelSelector, fieldSelector } = options;
  const { version, scope, dependencies } = call;
  const texts = [version.view.apiVersion, scope.name, labelSelector, fieldSelector];
  const selection = dependencies.watchedSelections(texts, () => readSelection(call, options));
  requireResourceVersion(options.resourceVersion, '');
  // A watch may last for an hour: it holds the compiled selection, not its texts.
  const lasting = { ...call, query: NO_QUERY };
  const rest = { ...options, labelSelector: '', fieldSelector: '' };
  const context = { call: lasting, options: rest, selection };
  return { kind: 'watch', frames: (encoder, onEnd) => new WatchStream({ ...context, encoder }, onEnd).frames };
}
