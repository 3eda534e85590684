import type { Json } from './schemas.js';

const query = (name: string, type: 'string' | 'integer' | 'boolean', description: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});

const path = (name: string, description: string): Json => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

/** The name of an object in the path. */
export const nameParameter = (kind: string): Json => path('name', `name of the ${kind}`);

/** The namespace in the path. */
export const NAMESPACE: Json = path('namespace', 'the namespace the objects live in');

/** Read by every operation. */
export const PRETTY: Json = query('pretty', 'string', 'When true, JSON is indented.');

const DRY_RUN = query('dryRun', 'string', 'With All nothing is stored; the answer is the one the request would get.');
const FIELD_MANAGER = query('fieldManager', 'string', 'Who makes the change: printable, at most 128 bytes.');
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'What unknown and duplicate fields lead to: Ignore (nothing), Warn (a warning, the default) or Strict (an error).',
);

/** Options of create and update. */
export const WRITE_PARAMETERS: readonly Json[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

/** Options of patch. Clients look for `fieldValidation` here before they rely on the server's validation. */
export const PATCH_PARAMETERS: readonly Json[] = [
  ...WRITE_PARAMETERS,
  query('force', 'boolean', 'For server-side apply alone: take over fields others manage.'),
];

/** Options of a deletion, read from the query if there is no body. */
export const DELETE_PARAMETERS: readonly Json[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'Seconds before the removal.'),
  query('orphanDependents', 'boolean', 'Older form of propagationPolicy.'),
  query('propagationPolicy', 'string', 'What happens to dependents: Orphan, Background or Foreground.'),
];

/** Options of list and watch. */
export const LIST_PARAMETERS: readonly Json[] = [
  query('allowWatchBookmarks', 'boolean', 'Whether a watch may carry bookmarks, which tell its position.'),
  query('continue', 'string', 'Where a page begins: the token of the page before.'),
  query('fieldSelector', 'string', 'Only objects whose fields have these values.'),
  query('labelSelector', 'string', 'Only objects with such labels.'),
  query('limit', 'integer', 'The most items of a page.'),
  query('resourceVersion', 'string', 'The version to read, or to watch from.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with what there is, ended by a bookmark.'),
  query('timeoutSeconds', 'integer', 'How long a list may take, or a watch lasts.'),
];

/** Turns a list into a watch. */
export const WATCH: Json = query('watch', 'boolean', 'Answer with a stream of changes in place of a list.');
