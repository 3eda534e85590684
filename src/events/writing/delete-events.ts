import { readListOptions } from '../../api/options/list-options.js';
import { isStatusFailure } from '../../api/status/status-failure.js';
import { isStoreError, type StoreError } from '../../store/contract/errors.js';
import { readSelection } from '../listing/list-query.js';
import { RECORDS, readList } from '../listing/read-list.js';
import { createTimeSlice } from '../listing/read-pages.js';
import type { Result, VerbCall } from '../request/call.js';
import { deletedStatus, removeStored } from './remove-event.js';
import { readDeleteOptions } from './request-body.js';

/**
 * Deletes the events of a list, one by one and not atomically: those deleted by others meanwhile are skipped, and those
 * that the store has no room to mark come last. Any other failure stops it. The result is a Status (decision 2).
 */
export async function deleteEvents(call: VerbCall): Promise<Result> {
  const listOptions = readListOptions(call.query);
  const selector = readSelection(call, listOptions);
  const options = await readDeleteOptions(call);
  const slice = createTimeSlice(call);
  let refusal: StoreError | undefined;
  const list = await readList(call, listOptions, selector, RECORDS);
  for await (const records of list.batches) {
    for (const record of records) {
      if (slice.shouldYield()) await slice.yieldToLoop();
      try {
        await removeStored(call, record.key, options);
      } catch (error) {
        if (isStatusFailure(error) && error.status.reason === 'NotFound') continue;
        if (!isStoreError(error) || (error.code !== 'full' && error.code !== 'too-large')) throw error;
        refusal ??= error;
      }
    }
  }
  if (refusal !== undefined) throw refusal;
  const { resourceVersion: _, ...metadata } = list.meta;
  return deletedStatus(call, metadata);
}
