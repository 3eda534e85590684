/** One call of a client, in milliseconds of `performance.now()`. */
export interface Call {
  readonly client: number;
  readonly key: string;
  readonly invoked: number;
  /** Infinity when nothing came back. */
  readonly returned: number;
}

/** A write that happened, or may have happened. Refused ones are {@link Refusal}s. */
export interface Write extends Call {
  /** Identifies the write; an event stores that of its last write. */
  readonly id: string;
  readonly kind: 'create' | 'update' | 'patch' | 'delete';
  /** The revision that the client sent as the one it changes. */
  readonly expected?: number | undefined;
  readonly acknowledged: boolean;
  /** Of an acknowledged create, update or patch. */
  readonly revision?: number | undefined;
  /** Of an acknowledged create, update or patch: the response's body. */
  readonly text?: string | undefined;
  /** Of a deletion: the uid of the event that it removes. */
  readonly uid?: string | undefined;
}

/** A write that was refused because of what it found, which makes it a read. */
export interface Refusal extends Call {
  readonly found: 'present' | 'absent' | { readonly otherThan: number };
}

/** One event, read. */
export interface Read extends Call {
  /** `undefined`: there was none. */
  readonly revision: number | undefined;
  /** The response's body. */
  readonly text?: string | undefined;
}

/** A whole namespace, read. */
export interface ListRead {
  readonly invoked: number;
  readonly returned: number;
  readonly revision: number;
  /** Names and revisions. */
  readonly items: ReadonlyMap<string, number>;
}

/** Everything the clients did. */
export interface History {
  readonly writes: Write[];
  readonly refusals: Refusal[];
  readonly reads: Read[];
  readonly lists: ListRead[];
  /** Ids of writes that certainly did not happen, with the reason. */
  readonly refused: Map<string, string>;
  /** How many of them were refused because the store was unavailable. */
  unavailable: number;
  /** Responses that no client may get: a bare 500, or none within the deadline. */
  readonly wrong: string[];
  /** How long the slowest response took. */
  worstMs: number;
}

/** A change, as a watch delivered it. */
export interface Seen {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly revision: number;
  readonly uid: string;
  readonly note: string;
  /** The object's bytes. */
  readonly text: string;
  /** When it arrived. */
  readonly at: number;
}

export function createHistory(): History {
  return {
    ...{ writes: [], refusals: [], reads: [], lists: [], wrong: [] },
    refused: new Map(),
    unavailable: 0,
    worstMs: 0,
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** A note that names its write, and in which a truncation is noticed. */
export function noteOf(id: string): string {
  const pattern = [...id].map((character) => LETTERS[character.charCodeAt(0) % 26]).join('');
  return `write ${id} ${pattern.repeat(8)}.`;
}

/** The write that made this note; `undefined` when it is not whole. */
export function idOf(note: string): string | undefined {
  const id = /^write (\S+) /.exec(note)?.[1];
  return id !== undefined && noteOf(id) === note ? id : undefined;
}
