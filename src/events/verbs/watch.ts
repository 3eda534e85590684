import { readListOptions } from '../../api/options/list-options.js';
import { readSelection } from '../listing/selection.js';
import { openWatch } from '../watching/watch-stream.js';
import type { Result, VerbCall } from './call.js';

/** A stream of changes. What fails before it starts is an ordinary answer, what fails later an ERROR frame. */
export function watch(call: VerbCall): Result {
  const options = readListOptions(call.query, call.scope.legacyWatch);
  const selector = readSelection(call, options);
  return { kind: 'watch', frames: (encoder, onEnd) => openWatch(call, options, selector, encoder, onEnd) };
}
