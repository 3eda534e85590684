import { header } from './headers.js';
import type { ApiRequest } from './request.js';

/** Longer ones are not sent back. */
const MAX_LENGTH = 1_024;

/**
 * The request's own `Audit-Id` where it can be sent back (a bridge refuses control characters and what is beyond Latin-1)
 * and has at most 1,024 characters, else a new UUID.
 */
export function auditIdOf(request: ApiRequest, newId = () => crypto.randomUUID() as string): string {
  const sent = header(request, 'audit-id');
  return sent !== undefined && sent.length <= MAX_LENGTH && /^[\t\x20-\x7e\x80-\xff]+$/.test(sent) ? sent : newId();
}
