import type { ApiResponse } from '../http/response.js';

/**
 * Answers `/` and `/index.html`: the sorted list of everything that is served, as indented JSON. `undefined` elsewhere.
 *
 * @param paths all registered paths, in any order; read at every request because they may come and go
 */
export function createIndexDocument(paths: () => readonly string[]): (path: string) => ApiResponse | undefined {
  return (path) => {
    if (path !== '/' && path !== '/index.html') return undefined;
    const sorted = [...new Set(paths())].sort();
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ paths: sorted }, undefined, 2),
    };
  };
}
