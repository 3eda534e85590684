import type { Attributes, ResourceAttributes } from '../auth/contract.js';
import { pathSegmentErrors } from './validation/names.js';

/** What a method and a path request, as kube-apiserver reads them before authentication (its *request info*). */
export interface RequestInfo {
  /** True for `/api/VERSION/…` and `/apis/GROUP/VERSION/…`. Otherwise the fields from `apiGroup` on are empty. */
  readonly isResourceRequest: boolean;
  /** Decoded. */
  readonly path: string;
  /** `get`, `list`, … or `''` for a method without a name; for other paths the lower-case method. */
  readonly verb: string;
  /** `''` for the core group. */
  readonly apiGroup: string;
  readonly apiVersion: string;
  /** `''` for all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** `''` for a collection. */
  readonly name: string;
  /** Whether a field selector may name the object: in lists and watches, except old watch paths. */
  readonly selectsByName: boolean;
  /** The segments from the resource on. */
  readonly parts: readonly string[];
}

const API = 'api/';
const APIS = 'apis/';
const NAMESPACES = 'namespaces/';
const SLASH = 0x2f;

/** Reads a request by positions in the path: a list of all segments would take a tenth of the time of a get. */
export function readRequestInfo(method: string, path: string, wantsWatch: boolean): RequestInfo {
  let at = 0;
  while (path.charCodeAt(at) === SLASH) at++;
  let end = path.length;
  while (end > at && path.charCodeAt(end - 1) === SLASH) end--;

  const grouped = path.startsWith(APIS, at);
  if (!grouped && !path.startsWith(API, at)) return pathRequest(method, path);
  const groupStart = at + (grouped ? APIS.length : API.length);
  const versionStart = grouped ? path.indexOf('/', groupStart) + 1 : groupStart;
  const versionEnd = versionStart === 0 ? -1 : path.indexOf('/', versionStart);
  if (versionEnd < 0 || versionEnd >= end) return pathRequest(method, path);
  at = versionEnd + 1;

  const special = specialVerb(path, at, end);
  at += special === '' ? 0 : special.length + 1;
  let namespace = '';
  if (path.startsWith(NAMESPACES, at) && at + NAMESPACES.length < end) {
    const start = at + NAMESPACES.length;
    const segmentClose = segmentEnd(path, start, end);
    namespace = path.slice(start, segmentClose);
    if (segmentClose < end && !isNamespaceSubresource(path, segmentClose + 1, end)) at = segmentClose + 1;
  }
  const parts = segments(path, at, end);
  const name = parts[1] ?? '';
  const verb = special === '' ? verbOf(method, name !== '', wantsWatch) : special;
  return {
    isResourceRequest: true,
    path,
    verb,
    apiGroup: grouped ? path.slice(groupStart, versionStart - 1) : '',
    apiVersion: path.slice(versionStart, versionEnd),
    namespace,
    resource: parts[0] as string,
    subresource: special === 'proxy' ? '' : (parts[2] ?? ''),
    name,
    selectsByName: special === '' && (verb === 'list' || verb === 'watch'),
    parts,
  };
}

/**
 * @param selectedName the only name that the field selector of a request for a collection allows: access rules for one
 * object apply to lists and watches of it, too, as in kube-apiserver
 */
export function accessAttributes(info: RequestInfo, selectedName: string): Attributes {
  return info.isResourceRequest ? resourceAttributes(info, selectedName) : { verb: info.verb, path: info.path };
}

export function resourceAttributes(info: RequestInfo, selectedName: string): ResourceAttributes {
  const attributes: { -readonly [Name in keyof ResourceAttributes]: ResourceAttributes[Name] } = {
    verb: info.verb,
    group: info.apiGroup,
    version: info.apiVersion,
    resource: info.resource,
  };
  if (info.subresource !== '') attributes.subresource = info.subresource;
  if (info.namespace !== '') attributes.namespace = info.namespace;
  const name = info.selectsByName && pathSegmentErrors(selectedName).length === 0 ? selectedName : info.name;
  if (name !== '') attributes.name = name;
  return attributes;
}

/** Whether the path ends after the `watch/` of an old watch path: it then names neither a resource nor a document. */
export function isWatchRoot(path: string): boolean {
  return /^\/(api|apis\/[^/]+)\/[^/]+\/watch\/$/.test(path);
}

function pathRequest(method: string, path: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    selectsByName: false,
    parts: [],
  };
}

/** A verb in the path, as in old watch paths, if something follows it. */
function specialVerb(path: string, at: number, end: number): 'watch' | 'proxy' | '' {
  if (at + 'watch/'.length >= end) return '';
  return path.startsWith('watch/', at) ? 'watch' : path.startsWith('proxy/', at) ? 'proxy' : '';
}

/** Whether this is a part of the namespace itself, not a resource in it. */
function isNamespaceSubresource(path: string, at: number, end: number): boolean {
  const segment = path.slice(at, segmentEnd(path, at, end));
  return segment === 'status' || segment === 'finalize';
}

function segments(path: string, from: number, end: number): readonly string[] {
  const parts: string[] = [];
  for (let at = from; at <= end;) {
    const close = segmentEnd(path, at, end);
    parts.push(path.slice(at, close));
    at = close + 1;
  }
  return parts;
}

function segmentEnd(path: string, from: number, end: number): number {
  const close = path.indexOf('/', from);
  return close < 0 || close > end ? end : close;
}

const VERBS: ReadonlyMap<string, readonly [object: string, collection: string]> = new Map([
  ['GET', ['get', 'list']],
  ['HEAD', ['get', 'list']],
  ['POST', ['create', 'create']],
  ['PUT', ['update', 'update']],
  ['PATCH', ['patch', 'patch']],
  ['DELETE', ['delete', 'deletecollection']],
]);

function verbOf(method: string, named: boolean, wantsWatch: boolean): string {
  const verb = VERBS.get(method)?.[named ? 0 : 1] ?? '';
  return verb === 'list' && wantsWatch ? 'watch' : verb;
}
