import type { Event } from '../../client.js';
import { depthWithin, MAX_FREE_DEPTH } from '../../json/json-tree.js';
import { isUnsafe, safeDocument } from '../../json/safe-text.js';

export interface Printer {
  /** The parts of the text, which may be longer than a string can be. */
  readonly existing: (events: readonly Event[]) => Iterable<string>;
  readonly change: (event: Event) => string;
}

/** Writes events as kubectl does: as one list, or each event of a watch as a document. */
export async function createEventDocuments(format: 'json' | 'yaml', watch: boolean): Promise<Printer> {
  const write = format === 'json' ? writeJson : await yamlWriter();
  const mark = format === 'json' ? '' : '---\n';
  const change = (event: Event): string => mark + write(shown(event));
  return {
    existing(events) {
      if (watch) return eachOf(events, change);
      return format === 'json' ? jsonList(events) : yamlList(events, write);
    },
    change,
  };
}

function* eachOf(events: readonly Event[], write: (event: Event) => string): Generator<string> {
  for (const event of events) yield write(event);
}

const EMPTY_LIST = { apiVersion: 'v1', items: [], kind: 'List', metadata: { resourceVersion: '' } };

function* jsonList(events: readonly Event[]): Generator<string> {
  const [head = '', tail = ''] = writeJson(EMPTY_LIST).split('[]');
  if (events.length === 0) {
    yield `${head}[]${tail}`;
    return;
  }
  let before = `${head}[`;
  for (const event of events) {
    // JSON has line ends only between its values.
    yield before + `\n${writeJson(shown(event)).trimEnd()}`.replaceAll('\n', '\n        ');
    before = ',';
  }
  yield `\n    ]${tail}`;
}

/** The YAML of a list, one item at a time. */
function* yamlList(events: readonly Event[], write: (value: unknown) => string): Generator<string> {
  const [head = '', tail = ''] = write(EMPTY_LIST).split('items: []\n');
  yield `${head}items:${events.length === 0 ? ' []' : ''}\n`;
  // Written as an item of a list, so that it is indented like one.
  for (const event of events) yield write({ items: [shown(event)] }).slice('items:\n'.length);
  yield tail;
}

const writeJson = (value: unknown): string => safeDocument(`${JSON.stringify(value, null, 4)}\n`);

async function yamlWriter(): Promise<typeof writeJson> {
  const { Document, visit } = await import('yaml');
  return (value) => {
    // kubectl reads YAML 1.1.
    const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
    visit(document, {
      Scalar(_, scalar) {
        if (typeof scalar.value === 'string' && isUnsafe(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
      },
    });
    return safeDocument(document.toString({ lineWidth: 0 }));
  };
}

/** As in kubectl, `apiVersion` and `kind` come first, and the managed fields are left out. @throws Error if too deep */
function shown({ apiVersion, kind, metadata, ...rest }: Event): Event {
  const { managedFields: _managedFields, ...shownMetadata } = metadata;
  const event = { apiVersion, kind, metadata: shownMetadata, ...rest };
  if (depthWithin(event, MAX_FREE_DEPTH)) return event;
  // What writes documents is recursive, and a server may send more levels than the stack allows.
  const name = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  throw new Error(`the server sent the event ${name} with more than ${MAX_FREE_DEPTH} levels: show it with -o table`);
}
