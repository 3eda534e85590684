import { readListOptions } from '../../api/options/list-options.js';
import { chain } from '../../http/promise.js';
import { JsonPieces } from '../../json/json-source.js';
import { readList } from '../listing/read-list.js';
import { readSelection } from '../listing/list-query.js';
import type { VerbCall, Result } from '../request/call.js';

/** The events of a namespace, or of all, at one revision. */
export function listEvents(call: VerbCall): Result | Promise<Result> {
  const options = readListOptions(call.query);
  const { listItem: ofRecord, listsStored } = call.version;
  const sentAsStored = call.joinsItems && listsStored;
  const form = { ofRecord, ofJson: sentAsStored ? piecesOf : undefined };
  const { chunkMemory: memory } = call.dependencies;
  return chain(readList(call, options, readSelection(call, options), form), ({ meta, batches, ahead }) => ({
    kind: 'list',
    meta,
    batches,
    memory,
    ahead,
  }));
}

const piecesOf = (pieces: ConstructorParameters<typeof JsonPieces>[0]): JsonPieces => new JsonPieces(pieces);
