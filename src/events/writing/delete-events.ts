import { readListOptions } from '../../api/options/list-options.js';
import { isStatusFailure } from '../../api/status/status-failure.js';
import { RECORDS, readList } from '../listing/read-list.js';
import { Pace } from '../listing/read-pages.js';
import { readSelection } from '../listing/list-query.js';
import type { VerbCall, Result } from '../request/call.js';
import { deletedStatus, removeStored } from './remove-stored.js';
import { readDeleteOptions } from './request-body.js';

/**
 * Deletes what a list would return, one by one: not atomic, what others deleted in between is skipped, another failure
 * ends it with some already gone. Answers a Status (design decision 2).
 */
export async function deleteEvents(call: VerbCall): Promise<Result> {
  const options = await readDeleteOptions(call);
  const listOptions = readListOptions(call.query);
  const pace = new Pace(call.dependencies.clock, call.life);
  const list = await readList(call, listOptions, readSelection(call, listOptions), RECORDS);
  for await (const records of list.batches) {
    for (const record of records) {
      if (pace.due()) await pace.rest();
      try {
        await removeStored(call, record.key, options);
      } catch (error) {
        if (!isStatusFailure(error) || error.status.reason !== 'NotFound') throw error;
      }
    }
  }
  const { continue: token, remainingItemCount } = list.meta;
  return deletedStatus(
    call,
    { ...(token && { continue: token }), ...(remainingItemCount !== undefined && { remainingItemCount }) },
    {},
  );
}
