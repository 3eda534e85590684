import { readListOptions } from '../../api/options/list-options.js';
import { chain } from '../../http/promise.js';
import { JsonPieces, type JsonSource } from '../../json/json-source.js';
import { readList } from '../listing/read-list.js';
import { readSelection } from '../listing/list-query.js';
import type { VerbCall, Result } from '../request/call.js';

export function listEvents(call: VerbCall): Result | Promise<Result> {
  const { query, version, joinsItems, dependencies } = call;
  const options = readListOptions(query);
  const ofJson =
    joinsItems && version.listsStored ? (pieces: readonly JsonSource[]) => new JsonPieces(pieces) : undefined;
  const form = { ofRecord: version.listItem, ofJson };
  return chain(readList(call, options, readSelection(call, options), form), ({ meta, batches, ahead }): Result => ({
    kind: 'list',
    meta,
    batches,
    memory: dependencies.chunkMemory,
    ahead,
  }));
}
