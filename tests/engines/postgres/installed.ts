import { describe } from 'vitest';
import { postgresPrograms } from './server.js';

/** Whether a program is installed. Where it is not, one line says so; in CI that is a failure. */
export function installed(program: string | undefined, name: string): boolean {
  if (program !== undefined) return true;
  if (process.env['CI'] === 'true') throw new Error(`${name} is not installed`);
  process.stderr.write(`skipped: ${name} is not installed\n`);
  return false;
}

/** `describe`, where there is a PostgreSQL server to start. */
export const describeWithPostgres: (name: string, body: () => void) => unknown = (name, body) =>
  describe.runIf(installed(postgresPrograms(), 'PostgreSQL'))(name, body);
