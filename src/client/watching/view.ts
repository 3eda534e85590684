import type { WatchFrame } from '../contract/events-client.js';
import type { Event } from '../../model/event.js';

/** Turns lists and frames into results, each as soon as it is known, so that an interrupted list is read again. */
export interface View<Given> {
  /** A list begins; the one before may not have come to its end, and is void. */
  beginList(): readonly Given[];
  listed(event: Event): readonly Given[];
  /** An event is deleted while the server still sends the initial ones. */
  goneMeanwhile(event: Event): readonly Given[];
  /** The list is complete. `again`: it has to be read once more, because the view could not hold all of it. */
  endList(): { readonly given: Iterable<Given>; readonly again: boolean };
  /** A change after the position. `rewound`: it is older and was not seen, so the server's revisions have gone back. */
  changed(type: Exclude<WatchFrame['type'], 'BOOKMARK'>, event: Event, position: string): readonly Given[] | 'rewound';
  /** Changes after the position cannot be read. `isRewound`: revisions went back, so known ones mean nothing. */
  lost(position: string, isRewound: boolean): readonly Given[];
}
