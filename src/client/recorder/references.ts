import { longerThan } from '../../json/utf8.js';
import type { ObjectReference } from '../../model/event.js';
import type { KubernetesObject } from './contract.js';

const FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** Servers do not limit these; the recorder does, because it keeps them in memory. */
const MAX_BYTES = 1_024;

/** Defaults for references to objects of the service. */
export interface OwnObjects {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly group: string;
}

/** Copies the reference to an object. Adds its faults to `faults`. */
export function referenceTo(value: object, field: string, own: OwnObjects, faults: string[]): ObjectReference {
  const reference: ObjectReference = {};
  const { metadata, apiVersion, kind } = value as KubernetesObject;
  const source = (metadata ? { ...metadata, apiVersion, kind } : value) as Readonly<Record<string, unknown>>;
  for (const name of FIELDS) {
    const text = source[name];
    if (text === undefined || text === null || text === '') continue;
    if (typeof text !== 'string') faults.push(`${field}.${name} must be a string`);
    else if (longerThan(text, MAX_BYTES)) faults.push(`${field}.${name} must have at most ${MAX_BYTES} bytes`);
    else reference[name] = text;
  }
  if (!reference.kind) faults.push(`${field} needs a kind`);
  if (!reference.name) faults.push(`${field} needs a name`);
  if (!reference.apiVersion) {
    // Values with metadata are objects of Kubernetes, whose group is not ours.
    if (metadata) faults.push(`${field} needs an apiVersion (list items have none)`);
    reference.apiVersion = own.apiVersion;
    reference.namespace ??= own.namespace;
  }
  if (reference.kind === 'Event' && isEventGroup(reference.apiVersion, own.group)) {
    faults.push(`${field} must not be an Event`);
  }
  return reference;
}

function isEventGroup(apiVersion: string, group: string): boolean {
  const at = apiVersion.indexOf('/');
  return at === -1 || [group, 'events.k8s.io'].includes(apiVersion.slice(0, at));
}

/** Equal for references to the same object. The resourceVersion is left out: it changes between two equal events. */
export function identityOf(reference: ObjectReference | undefined): unknown {
  return reference && FIELDS.map((name) => name !== 'resourceVersion' && reference[name]);
}
