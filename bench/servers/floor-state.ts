import { randomUUID } from 'node:crypto';

interface Entry {
  readonly name: string;
  bytes: Buffer;
}

interface Body {
  metadata: { name: string; resourceVersion?: string; uid?: string; creationTimestamp?: string };
  regarding?: { name?: string };
}

/** One namespace of the floor: ready bytes by name, an index for the one selector that is measured, and nothing else. */
export interface FloorNamespace {
  create(text: string): Buffer | undefined;
  get(name: string): Buffer | undefined;
  replace(name: string, text: string): Buffer | undefined;
  /** Merges the top level and metadata. */
  merge(name: string, text: string): Buffer | undefined;
  list(from: number, limit: number): { readonly items: readonly Buffer[]; readonly next: number | undefined };
  about(regarding: string): readonly Buffer[];
}

export interface FloorClock {
  /** The next revision. */
  next(): number;
  readonly latest: number;
}

export function createNamespace(revisions: FloorClock, onCreate: (bytes: Buffer) => void): FloorNamespace {
  const entries = new Map<string, Entry>();
  const byRegarding = new Map<string, Entry[]>();
  let ordered: Entry[] | undefined;
  let second = { at: 0, text: '' };

  const now = (): string => {
    const at = Math.floor(Date.now() / 1000);
    if (at !== second.at) second = { at, text: new Date(at * 1000).toISOString() };
    return second.text;
  };
  const encode = (body: Body): Buffer => {
    body.metadata.resourceVersion = String(revisions.next());
    return Buffer.from(JSON.stringify(body));
  };
  const rewrite = (name: string, change: (stored: Entry) => Body): Buffer | undefined => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    entry.bytes = encode(change(entry));
    return entry.bytes;
  };
  return {
    create(text) {
      const body = JSON.parse(text) as Body;
      const { name } = body.metadata;
      if (entries.has(name)) return undefined;
      body.metadata.uid = randomUUID();
      body.metadata.creationTimestamp = now();
      const entry = { name, bytes: encode(body) };
      entries.set(name, entry);
      ordered = undefined;
      const about = body.regarding?.name ?? '';
      const events = byRegarding.get(about);
      if (events) events.push(entry);
      else byRegarding.set(about, [entry]);
      onCreate(entry.bytes);
      return entry.bytes;
    },
    get: (name) => entries.get(name)?.bytes,
    replace: (name, text) => rewrite(name, () => JSON.parse(text) as Body),
    merge: (name, text) =>
      rewrite(name, ({ bytes }) => {
        const stored = JSON.parse(bytes.toString()) as Body;
        const patch = JSON.parse(text) as Partial<Body>;
        const metadata = Object.assign(stored.metadata, patch.metadata);
        return Object.assign(stored, patch, { metadata });
      }),
    list(from, limit) {
      ordered ??= [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
      const end = limit === 0 ? ordered.length : Math.min(from + limit, ordered.length);
      return {
        items: ordered.slice(from, end).map(({ bytes }) => bytes),
        next: end < ordered.length ? end : undefined,
      };
    },
    about: (regarding) => (byRegarding.get(regarding) ?? []).map(({ bytes }) => bytes),
  };
}
