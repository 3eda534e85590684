import type { ListPage } from '../../store/contract.js';
import { eventSize } from '../../store/record.js';

/** The most records that are asked of a store at once. */
export const PAGE = 500;
/** About so many bytes of events a page may have: some stores hand out copies. */
const PAGE_BYTES = 4_194_304;
const SMALLEST = 16;

/** How many records to ask for next. */
export interface PageSizes {
  /** Told each page as it comes. */
  read(page: ListPage): void;
  /** For a page of which so many records are wanted. */
  next(wanted: number): number;
}

/**
 * Pages of at most {@link PAGE} records, fewer where events are large. With a selector (`grows`) they grow from one to the
 * next: otherwise a client that asks for one event where few match would have the store read one at a time.
 */
export function createPageSizes(grows: boolean): PageSizes {
  let size = 0;
  let most = PAGE;
  return {
    read({ records }) {
      if (records.length === 0) return;
      let bytes = 0;
      for (const { event } of records) bytes += eventSize(event);
      const fitting = Math.floor((PAGE_BYTES * records.length) / Math.max(bytes, 1));
      most = Math.min(Math.max(fitting, SMALLEST), PAGE);
    },
    next(wanted) {
      size = Math.min(grows ? Math.max(wanted, size * 2) : wanted, most);
      return size;
    },
  };
}
