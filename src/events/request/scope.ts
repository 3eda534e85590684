import { resourceAttributes, type RequestInfo } from '../../api/request-info.js';
import type { ResourceAttributes } from '../../auth/contract.js';

/** What a path below a served group-version asks for, before anything is known about the caller. */
export interface Scope {
  readonly group: string;
  readonly version: string;
  /** `''` for all namespaces. */
  readonly namespace: string;
  /** The item's name; `''` for a collection. */
  readonly name: string;
  /** `''` for what is no operation on events. */
  readonly verb: Verb | '';
  /** How the request is called towards the authorizer. */
  readonly attributes: ResourceAttributes;
  /** True when the path names the events collection or an item in it, and nothing behind. */
  readonly routed: boolean;
}

/** The operations of the Event resource, by the names Kubernetes gives them in access rules. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

const RESOURCE = 'events';

/**
 * The scope of a request for a resource.
 *
 * @param selectedName the only name that a field selector lets through; `''` for none
 */
export function readScope(info: RequestInfo, selectedName: string): Scope {
  const { path, apiGroup: group, apiVersion: version, namespace, resource, name, parts } = info;
  const verb = info.verb === 'proxy' ? '' : (info.verb as Verb | '');
  return {
    group,
    version,
    namespace,
    name,
    verb,
    attributes: resourceAttributes(info, selectsByName(verb) ? selectedName : ''),
    // One slash at the end says nothing, two are another path.
    routed: resource === RESOURCE && parts.length <= 2 && info.verb !== 'proxy' && !path.endsWith('//'),
  };
}

const selectsByName = (verb: string): boolean => verb === 'list' || verb === 'watch' || verb === 'deletecollection';
