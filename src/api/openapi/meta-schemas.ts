import { deleteOptionsShape } from '../schema/delete-options-schema.js';
import {
  apiResourceListShape,
  listMetaShape,
  patchShape,
  statusShape,
  watchEventShape,
} from '../schema/meta-shapes.js';
import { define, type Json } from './schemas.js';

/** Adds the definitions of Kubernetes' `meta/v1` to those of the document of a group and version. */
export function defineMeta(definitions: Map<string, Json>, group: string, version: string): void {
  const inCore = (kind: string) => [{ group: '', kind, version: 'v1' }];
  // Kinds of all groups have a name in plain `v1` and one in the group and version.
  const inAll = (kind: string) =>
    group === '' && version === 'v1' ? inCore(kind) : [...inCore(kind), { group, kind, version }];
  define(definitions, listMetaShape());
  define(definitions, patchShape());
  define(definitions, statusShape(), inCore('Status'));
  define(definitions, apiResourceListShape(), inCore('APIResourceList'));
  define(definitions, watchEventShape(), inAll('WatchEvent'));
  define(definitions, deleteOptionsShape(), inAll('DeleteOptions'));
}
