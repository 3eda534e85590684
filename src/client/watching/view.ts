import type { WatchFrame } from '../contract/events-client.js';
import type { Event } from '../../model/event.js';

/**
 * Knows events of the server, and turns lists and frames into results. Each is given as soon as it is known, so that an
 * interrupted list is simply read again.
 */
export interface View<Given> {
  /** A list begins; the one before may not have come to its end, and is void. */
  beginList(): readonly Given[];
  /** An event of the list. */
  listed(event: Event): readonly Given[];
  /** An event is deleted while the server still sends the initial ones. */
  goneMeanwhile(event: Event): readonly Given[];
  /**
   * The list is complete. The results go to the consumer one by one.
   *
   * @returns `again`: there was more than the view could hold, and the list has to be read again
   */
  endList(): { readonly given: Iterable<Given>; readonly again: boolean };
  /**
   * A change after the position. `rewound`: it is older and was not seen before, so the server's revisions have gone
   * back.
   *
   * @param position the last revision that was seen
   */
  changed(frame: WatchFrame, position: string): readonly Given[] | 'rewound';
  /** Changes after the position can no longer be read, so a list follows. */
  expired(position: string): readonly Given[];
  /** The server's revision is behind the position: known revisions no longer mean anything. */
  rewound(): void;
}
