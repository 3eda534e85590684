import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { anObject, aString } from '../../options/rules.js';
import type { OptionRule, OptionRules } from '../../options/check-options.js';
import { negotiationInputs } from '../representation/choice.js';
import { errorRepresentation, routerAccepts } from '../representation/negotiate.js';
import { methodNotAllowed } from '../status/failures.js';

/**
 * The content of `/version`. `kubectl version` shows `gitVersion` (a semantic version with a leading `v`) and warns if it is
 * far from its own; `major` and `minor` are the Kubernetes release whose behaviour is served.
 */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor?: string | undefined;
  readonly emulationMinor?: string | undefined;
  readonly minCompatibilityMajor?: string | undefined;
  readonly minCompatibilityMinor?: string | undefined;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** The release whose behaviour this library follows. */
const DEFAULT: VersionInfo = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.0+kube-vitals',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
};

const OPTIONAL: ReadonlySet<string> = new Set([
  'emulationMajor',
  'emulationMinor',
  'minCompatibilityMajor',
  'minCompatibilityMinor',
]);

/** The rule of an option with this information, of which any part may be left out. */
export const aVersion: OptionRule = (value, name) =>
  anObject(Object.fromEntries(Object.keys(DEFAULT).map((key) => [key, aString])) as OptionRules<VersionInfo>)(
    value,
    name,
  );

/** The document of `/version`: indented JSON in Kubernetes' order. Compatibility fields are left out when empty. */
export function versionDocument(info: Partial<VersionInfo> = {}): string {
  const all = Object.keys(DEFAULT).map((key): [string, string] => {
    const name = key as keyof VersionInfo;
    return [key, (name in info ? info[name] : DEFAULT[name]) ?? ''];
  });
  return JSON.stringify(Object.fromEntries(all.filter(([key, value]) => value !== '' || !OPTIONAL.has(key))), null, 2);
}

const PATHS: readonly string[] = ['/version', '/version/'];
const JSON_ONLY: readonly string[] = ['application/json'];
const HEADERS = Object.freeze({ 'content-type': 'application/json' });

/**
 * Answers `/version` and `/version/`, always as indented JSON: any other Accept is a 406, any method but GET a 405.
 * `undefined` for other paths.
 */
export function createVersion(
  info?: Partial<VersionInfo>,
): (request: ApiRequest, path: string) => ApiResponse | undefined | Promise<ApiResponse> {
  const body = versionDocument(info);
  return (request, path) => {
    if (!PATHS.includes(path)) return undefined;
    const inputs = negotiationInputs(request.headers, new Map());
    const refused = request.method === 'GET' ? routerAccepts(inputs.accept, JSON_ONLY) : methodNotAllowed();
    if (refused) return errorRepresentation(inputs).status(refused.status, refused.status.code ?? 500);
    return { status: 200, headers: HEADERS, body };
  };
}
