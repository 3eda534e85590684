import type { Event } from '../../client.js';
import { isUnsafe, safeDocument } from './safe-text.js';

/** Writes events as documents. */
export interface Documents {
  /** All of them as one list, as kubectl writes it. */
  list(events: readonly Event[]): string;
  /** One of a stream. */
  one(event: Event): string;
}

/** JSON, indented by four as kubectl's. */
export const jsonDocuments: Documents = {
  list: (events) => safeDocument(`${JSON.stringify(listOf(events), null, 4)}\n`),
  one: (event) => safeDocument(`${JSON.stringify(shown(event), null, 4)}\n`),
};

/** YAML; events of a stream are documents of their own. */
export async function yamlDocuments(): Promise<Documents> {
  const { Document, visit } = await import('yaml');
  const write = (value: unknown): string => {
    const document = new Document(value, { aliasDuplicateObjects: false });
    visit(document, {
      Scalar(_, scalar) {
        if (typeof scalar.value === 'string' && isUnsafe(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
      },
    });
    return safeDocument(document.toString({ lineWidth: 0 }));
  };
  return { list: (events) => write(listOf(events)), one: (event) => `---\n${write(shown(event))}` };
}

function listOf(events: readonly Event[]): object {
  return { apiVersion: 'v1', items: events.map(shown), kind: 'List', metadata: { resourceVersion: '' } };
}

/** As kubectl: what it is comes first, and who manages which field is left out. */
function shown({ apiVersion, kind, metadata, ...rest }: Event): Event {
  const { managedFields: _managedFields, ...shownMetadata } = metadata;
  return { apiVersion, kind, metadata: shownMetadata, ...rest };
}
