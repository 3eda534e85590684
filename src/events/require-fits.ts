import type { EventStore } from '../store/contract.js';
import { storeError } from '../store/errors.js';
import { eventSize, type EncodedEvent } from '../store/record.js';

/** For a dry run: refuses what the store would refuse. @throws StoreError `too-large` */
export function requireFits({ capabilities }: EventStore, event: EncodedEvent): void {
  if (eventSize(event) <= capabilities.maxEventBytes) return;
  throw storeError('too-large', `the event has more than ${capabilities.maxEventBytes} bytes`);
}
