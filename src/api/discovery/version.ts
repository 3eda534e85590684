import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { NO_QUERY } from '../../http/url.js';
import { anObject, aString } from '../../options/rules.js';
import type { OptionRule, OptionRules } from '../../options/check-options.js';
import { negotiationInputs } from '../representation/choice.js';
import { jsonSerializer } from '../representation/json.js';
import { routerAccepts } from '../representation/negotiate.js';
import { respondFailure } from '../representation/respond.js';
import { methodNotAllowed } from '../status/failures.js';

/**
 * The content of `/version`. `kubectl version` shows `gitVersion` (a semantic version with a leading `v`) and warns if
 * it is far from its own; `major` and `minor` are the Kubernetes release whose behaviour is served.
 */
export interface VersionInfo {
  /** The major version: what kubectl compares. */
  readonly major: string;
  /** The minor version: what kubectl compares. */
  readonly minor: string;
  /** The major version that is emulated. Left out when empty. */
  readonly emulationMajor?: string | undefined;
  /** The minor version that is emulated. Left out when empty. */
  readonly emulationMinor?: string | undefined;
  /** The oldest compatible major version. Left out when empty. */
  readonly minCompatibilityMajor?: string | undefined;
  /** The oldest compatible minor version. Left out when empty. */
  readonly minCompatibilityMinor?: string | undefined;
  /** The whole version, such as `v1.36.0`. */
  readonly gitVersion: string;
  /** The commit it was built from. */
  readonly gitCommit: string;
  /** Whether the commit was unchanged: `clean` or `dirty`. */
  readonly gitTreeState: string;
  /** When the server was built, RFC 3339. */
  readonly buildDate: string;
  /** The version of Go; empty for a server not written in Go. */
  readonly goVersion: string;
  /** The compiler it was built with. */
  readonly compiler: string;
  /** Operating system and processor. */
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

const OPTIONAL = /emulation|minCompatibility/;

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
  return JSON.stringify(Object.fromEntries(all.filter(([key, value]) => value !== '' || !OPTIONAL.test(key))), null, 2);
}

/** Serves `/version` and `/version/` with indented JSON; undefined for other paths. */
export function createVersion(
  info?: Partial<VersionInfo>,
): (request: ApiRequest, path: string) => ApiResponse | undefined | Promise<ApiResponse> {
  const body = versionDocument(info);
  return (request, path) => {
    if (path !== '/version' && path !== '/version/') return undefined;
    const inputs = negotiationInputs(request.headers, NO_QUERY);
    const refused = request.method === 'GET' ? routerAccepts(inputs.accept, ['application/json']) : methodNotAllowed();
    if (refused) return respondFailure(refused.status, inputs);
    return { status: 200, headers: jsonSerializer.headers, body };
  };
}
