import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StoreChoice } from '../stores/store-url.js';

/**
 * Why a copy between two stores is refused, or `undefined`. One server under two names is not recognized: the copy then finds
 * every event present, and changes nothing.
 */
export function copyRefusal(from: StoreChoice, to: StoreChoice): string | undefined {
  // Opening a missing file would create it, and copying nothing would succeed.
  if (from.kind === 'sqlite' && fileOf(from.path) === undefined) return `FROM: there is no file ${resolve(from.path)}`;
  return isSame(from, to) ? `FROM and TO are the same store, ${from.shown}` : undefined;
}

function isSame(from: StoreChoice, to: StoreChoice): boolean {
  if (from.kind === 'sqlite' && to.kind === 'sqlite') {
    const [one, other] = [fileOf(from.path), fileOf(to.path)];
    if (one !== undefined && other !== undefined) return one === other;
    return resolve(from.path) === resolve(to.path);
  }
  if (from.kind === 'postgres' && to.kind === 'postgres') {
    return databaseOf(from.connectionString) === databaseOf(to.connectionString) && from.schema === to.schema;
  }
  if (from.kind === 'etcd' && to.kind === 'etcd') {
    return from.prefix === to.prefix && from.endpoints.some((endpoint) => to.endpoints.includes(endpoint));
  }
  return false;
}

/** Identifies a file by device and inode; `undefined` where there is none. */
function fileOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function databaseOf(connectionString: string): string {
  const { hostname, port, pathname, searchParams } = new URL(connectionString);
  return [hostname, port || '5432', pathname, searchParams.get('host') ?? ''].join(' ');
}
