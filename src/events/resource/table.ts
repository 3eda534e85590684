import type { TableColumn, TableDefinition } from '../../api/representation/contract.js';
import { age } from '../../time/human-duration.js';
import type { Event } from '../../model/event.js';

const column = (name: string, priority: 0 | 1, description: string, format = ''): TableColumn => ({
  name,
  type: 'string',
  format,
  description,
  priority,
});

/** The ten columns, always all sent. `Count` is declared as a string but contains numbers, as in kube-apiserver. */
const COLUMNS: readonly TableColumn[] = [
  column('Last Seen', 0, 'How long ago the event was observed most recently.'),
  column('Type', 0, 'The type of the event: Normal or Warning. More types may be added.'),
  column('Reason', 0, 'Why the object changed, or why the action was taken, for people to read.'),
  column('Object', 0, 'The object the event is about, as kind/name.'),
  column('Subobject', 1, 'The part of the object that is meant, as a field path such as spec.containers{web}.'),
  column('Source', 1, 'Who reported the event: the component or controller, and the host or instance it ran on.'),
  column('Message', 0, 'What happened, for people to read.'),
  column('First Seen', 1, 'How long ago the event was observed for the first time.'),
  column('Count', 1, 'How many times the event has been observed.'),
  column('Name', 1, 'The name of the event itself, unique in its namespace.', 'name'),
];

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The table that `kubectl get` shows. `fieldName` returns the name that a stored field has in the version. */
export function eventTable(fieldName: (stored: keyof Event) => string): TableDefinition {
  const names = {
    regarding: fieldName('regarding'),
    note: fieldName('note'),
    controller: fieldName('reportingController'),
    source: fieldName('deprecatedSource'),
    firstTimestamp: fieldName('deprecatedFirstTimestamp'),
    lastTimestamp: fieldName('deprecatedLastTimestamp'),
    count: fieldName('deprecatedCount'),
  };
  return {
    columns: COLUMNS,
    cells(object, now) {
      const event = fieldsOf(object);
      const about = fieldsOf(event[names.regarding]);
      const series = event['series'] ? fieldsOf(event['series']) : undefined;
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
        reporter(event, fieldsOf(event[names.source]), names.controller),
        text(event[names.note]).trim(),
        firstSeen,
        series ? Number(series['count'] ?? 0) : Number(event[names.count] ?? 0) || 1,
        text(fieldsOf(event['metadata'])['name']),
      ];
    },
  };
}

/** Returns `component, host`, each from the older fields of the event or else from the newer ones. */
function reporter(event: Fields, older: Fields, controller: string): string {
  const component = text(older['component']) || text(event[controller]);
  const host = text(older['host']) || text(event['reportingInstance']);
  return host ? `${component}, ${host}` : component;
}
