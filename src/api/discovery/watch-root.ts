/**
 * Whether a path is that of the old watches of a version with nothing behind it: no request for a resource, and none for
 * a document.
 */
export function isWatchRoot(path: string): boolean {
  return WATCH_ROOT.test(path);
}

const WATCH_ROOT = /^\/(api|apis\/[^/]+)\/[^/]+\/watch\/$/;
