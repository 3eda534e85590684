import { EMPTY, putNode, type FieldNode, type FieldSet } from './field-set.js';

/** Fields of metadata that never have an owner. */
const STRIPPED: ReadonlySet<string> = new Set([
  'f:name',
  'f:namespace',
  'f:creationTimestamp',
  'f:selfLink',
  'f:uid',
  'f:clusterName',
  'f:generation',
  'f:managedFields',
  'f:resourceVersion',
]);

/** The set without fields that identify the object or are set by the server (Kubernetes' stripped fields). */
export function stripIdentity(set: FieldSet): FieldSet {
  const rest = new Map<string, FieldNode>();
  for (const [element, node] of set) {
    if (element === 'f:metadata') putNode(rest, element, false, stripMembers(node.children ?? EMPTY));
    else if (element !== 'f:kind' && element !== 'f:apiVersion') rest.set(element, node);
    else putNode(rest, element, false, node.children);
  }
  return rest;
}

function stripMembers(metadata: FieldSet): FieldSet {
  const rest = new Map<string, FieldNode>();
  for (const [element, node] of metadata) {
    if (STRIPPED.has(element)) putNode(rest, element, false, node.children);
    else rest.set(element, node);
  }
  return rest;
}
