import { BASE } from '../protocol.js';
import { createNamespace, type FloorNamespace } from './floor-state.js';

/** A namespace of the floor with its watchers. */
export interface Room<F> {
  readonly events: FloorNamespace;
  readonly watchers: F;
}

/** The namespaces of the floor, made when they are first requested. */
export interface Rooms<F> {
  of(namespace: string): Room<F>;
  /** The revision of the last change. */
  readonly revision: number;
}

/** @param fanOut makes the object that sends frames to the watchers of a namespace */
export function createRooms<F extends { publish(bytes: Buffer): void }>(fanOut: () => F): Rooms<F> {
  const rooms = new Map<string, Room<F>>();
  const revisions = {
    latest: 0,
    next(): number {
      this.latest += 1;
      return this.latest;
    },
  };
  return {
    of(namespace) {
      const known = rooms.get(namespace);
      if (known) return known;
      const watchers = fanOut();
      const made = { watchers, events: createNamespace(revisions, (bytes) => watchers.publish(bytes)) };
      rooms.set(namespace, made);
      return made;
    },
    get revision() {
      return revisions.latest;
    },
  };
}

const LIST_END = Buffer.from(']}');
const COMMA = Buffer.from(',');

/** A list as one piece of JSON. */
export function listBytes(revision: number, items: readonly Buffer[], next: number | undefined): Buffer {
  const more = next === undefined ? '' : `,"continue":"${next}"`;
  const head = `{"kind":"EventList","apiVersion":"${API_VERSION}","metadata":{"resourceVersion":"${revision}"${more}},"items":[`;
  const parts: Buffer[] = [Buffer.from(head)];
  items.forEach((item, index) => (index === 0 ? parts.push(item) : parts.push(COMMA, item)));
  parts.push(LIST_END);
  return Buffer.concat(parts);
}

const API_VERSION = BASE.slice('/apis/'.length);

export const MISSING = Buffer.from('{"kind":"Status","code":404}');
export const TAKEN = Buffer.from('{"kind":"Status","code":409}');
