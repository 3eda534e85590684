import { shorten } from '../../json/go-print.js';
import { isObject, member } from '../../json/json-tree.js';

/** The kind and apiVersion of a JSON object. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
  /** As Kubernetes prints it: `events.example.com/v1, Kind=Event`, `/v1, Kind=Event`, `/, Kind=`. */
  readonly text: string;
}

/** The type of an object; without a type if apiVersion is invalid. */
export function objectType(object: Readonly<Record<string, unknown>>): ObjectType {
  const apiVersion = textOf(object, 'apiVersion');
  const kind = textOf(object, 'kind');
  const slash = apiVersion.indexOf('/');
  if (slash !== -1 && apiVersion.includes('/', slash + 1)) return { apiVersion: '', kind: '', text: '/, Kind=' };
  return { apiVersion, kind, text: `${slash === -1 ? '/' : ''}${shorten(apiVersion)}, Kind=${shorten(kind)}` };
}

/** An object in an error message: namespace and name as it has them, and its type. */
export function describeObject(object: Readonly<Record<string, unknown>>): string {
  const metadata = member(object, 'metadata');
  const { namespace, name } = isObject(metadata)
    ? { namespace: textOf(metadata, 'namespace'), name: textOf(metadata, 'name') }
    : { namespace: '', name: '' };
  return `${shorten(namespace)}/${shorten(name)}; ${objectType(object).text}`;
}

function textOf(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = member(object, key);
  return typeof value === 'string' ? value : '';
}
