import type { Event } from '../../client.js';
import { isUnsafe, safeDocument } from './safe-text.js';

/** Writes events in one of the formats. */
export interface Printer {
  readonly existing: (events: readonly Event[]) => string;
  /** The text of an event that was added or updated. */
  readonly change: (event: Event) => string;
}

/** Writes events as kubectl does: as one list, or each event of a watch as a document. */
export async function createDocuments(format: 'json' | 'yaml', watch: boolean): Promise<Printer> {
  const write = format === 'json' ? writeJson : await yamlWriter();
  const mark = format === 'json' ? '' : '---\n';
  const change = (event: Event): string => mark + write(shown(event));
  return {
    existing: (events) =>
      watch
        ? events.map(change).join('')
        : write({ apiVersion: 'v1', items: events.map(shown), kind: 'List', metadata: { resourceVersion: '' } }),
    change,
  };
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

/** As in kubectl, `apiVersion` and `kind` come first, and the managed fields are left out. */
function shown({ apiVersion, kind, metadata, ...rest }: Event): Event {
  const { managedFields: _managedFields, ...shownMetadata } = metadata;
  return { apiVersion, kind, metadata: shownMetadata, ...rest };
}
