import type { TableColumn, TableDefinition } from '../api/representation/contract.js';
import { age } from '../api/representation/human-duration.js';

const column = (name: string, priority: 0 | 1, description: string, format = ''): TableColumn => ({
  name,
  type: 'string',
  format,
  description,
  priority,
});

/** The ten columns, all of them always sent. `Count` is declared a string and filled with numbers, as the original does. */
const COLUMNS: readonly TableColumn[] = [
  column('Last Seen', 0, 'How long ago the event was observed most recently.'),
  column('Type', 0, 'The kind of news: Normal or Warning. Further types may appear.'),
  column('Reason', 0, 'A short word that programs can compare: why the object changed, or why the action was taken.'),
  column('Object', 0, 'The object the event tells about, as kind/name.'),
  column('Subobject', 1, 'The part of the object that is meant, as a field path such as spec.containers{web}.'),
  column('Source', 1, 'Who reported the event: the component or controller, and the host or instance it ran on.'),
  column('Message', 0, 'What happened, in words for people.'),
  column('First Seen', 1, 'How long ago the event was observed for the first time.'),
  column('Count', 1, 'How many times the event was observed so far.'),
  column('Name', 1, 'The name of the event itself, unique in its namespace.', 'name'),
];

/** What the two versions of an Event call the fields that are shown. */
interface FieldNames {
  readonly object: string;
  readonly message: string;
  readonly controller: string;
  readonly source: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: string;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function createTable(names: FieldNames): TableDefinition {
  return {
    columns: COLUMNS,
    cells(object, now) {
      const event = fieldsOf(object);
      const about = fieldsOf(event[names.object]);
      const series = event['series'] === undefined || event['series'] === null ? undefined : fieldsOf(event['series']);
      const firstSeen = age(event[names.firstTimestamp] ?? event['eventTime'], now);
      const lastTimestamp = event[names.lastTimestamp];
      const lastSeen = lastTimestamp ? age(lastTimestamp, now) : firstSeen;
      const kind = text(about['kind']).toLowerCase();
      const name = text(about['name']);
      return [
        series ? age(series['lastObservedTime'], now) : lastSeen,
        text(event['type']),
        text(event['reason']),
        name ? `${kind}/${name}` : kind,
        text(about['fieldPath']),
        source(event, names),
        text(event[names.message]).trim(),
        firstSeen,
        series ? Number(series['count'] ?? 0) : Number(event[names.count] ?? 0) || 1,
        text(fieldsOf(event['metadata'])['name']),
      ];
    },
  };
}

/** `component, host`, each from the older form of the event or else from the newer one. */
function source(event: Fields, names: FieldNames): string {
  const older = fieldsOf(event[names.source]);
  const component = text(older['component']) || text(event[names.controller]);
  const host = text(older['host']) || text(event['reportingInstance']);
  return host ? `${component}, ${host}` : component;
}

/** Events of `events.<api_domain>/v1` as `kubectl get` shows them (columns and cells: Kubernetes' event printer). */
export const eventsV1Table: TableDefinition = createTable({
  object: 'regarding',
  message: 'note',
  controller: 'reportingController',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
});

/** The same for core/v1, whose fields have other names. */
export const coreV1Table: TableDefinition = createTable({
  object: 'involvedObject',
  message: 'message',
  controller: 'reportingComponent',
  source: 'source',
  firstTimestamp: 'firstTimestamp',
  lastTimestamp: 'lastTimestamp',
  count: 'count',
});
