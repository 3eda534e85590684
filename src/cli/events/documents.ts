import type { Event } from '../../client.js';
import { isUnsafe, safeDocument } from './safe-text.js';

interface Documents {
  list(events: readonly Event[]): string;
  /** An event of a stream; in YAML each is a document. */
  one(event: Event): string;
}

/** Writes events as kubectl does; as YAML that readers of YAML 1.1 understand too, such as kubectl. */
export async function documentsOf(format: 'json' | 'yaml'): Promise<Documents> {
  const write = format === 'json' ? writeJson : await yamlWriter();
  const mark = format === 'json' ? '' : '---\n';
  return {
    list: (events) =>
      write({ apiVersion: 'v1', items: events.map(shown), kind: 'List', metadata: { resourceVersion: '' } }),
    one: (event) => mark + write(shown(event)),
  };
}

const writeJson = (value: unknown): string => safeDocument(`${JSON.stringify(value, null, 4)}\n`);

async function yamlWriter(): Promise<typeof writeJson> {
  const { Document, visit } = await import('yaml');
  return (value) => {
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
