import type { Revision } from '../contract/event-store.js';
import { storeError, type StoreError } from '../contract/errors.js';
import { grantsFor, stateOf } from './failures.js';
import { quoted } from './names.js';
import type { PostgresValue } from './client.js';
import type { Row, StoreParts } from './requests.js';
import { numberOf } from './rows.js';
import { emptyTable } from './schema-lift.js';
import { FUNCTIONS_VERSION, functionsVersionSql, postgresSchema, SCHEMA_VERSION } from './schema.js';

/** The server is no standby, and yet it accepts no writes. */
export const READ_ONLY =
  'the session is read-only although the server is no standby: turn off default_transaction_read_only';

interface OpenDatabaseOptions extends Pick<StoreParts, 'requests' | 'schema' | 'timeoutMs'> {
  readonly migrate: boolean;
  /** The revision above which a new database begins; undefined: the clock of the database. */
  readonly start: Revision | undefined;
  /** Whether an existing database that is behind `start` is raised to it. */
  readonly raise: boolean;
}

function refuse(message: string, cause?: unknown): StoreError {
  return storeError('unavailable', `PostgreSQL: ${message}`, { cause });
}

/**
 * Checks the server and the schema, creates or updates the schema if allowed, and returns the latest revision. Several
 * stores may do this at once. Fails with `unavailable`, and a message that says what an operator has to do.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Revision> {
  const { requests, schema, migrate, start, raise, timeoutMs } = options;
  const s = quoted(schema);
  let role = '<role>';

  /** Sends a statement; fails with advice where the role lacks rights. */
  const ask = async (name: string, text: string, values: readonly PostgresValue[] = []): Promise<Row> => {
    const changes = name === 'create' || name === 'update' || name === 'begin';
    try {
      const [row] = await requests[changes ? 'write' : 'read']({ name: `${schema}.${name}`, text }, values);
      return row ?? {};
    } catch (error) {
      if (stateOf(error) !== '42501') throw error;
      const advice =
        name === 'create'
          ? `the role may not create or change the schema ${s}: GRANT CREATE ON DATABASE <database> TO ${role}, ` +
            'or let its owner apply postgresSchema() and open the store with migrate: false'
          : name === 'update'
            ? `the role may not change the functions of the schema ${s}, which are of an earlier release: ` +
              'let their owner apply postgresSchema() of this release'
            : `the role may not use the schema ${s}: ${grantsFor(s, role)}`;
      throw refuse(advice, error);
    }
  };

  const server = await ask(
    'about',
    `SELECT getdatabaseencoding()::text AS encoding, pg_is_in_recovery()::text AS standby,
       current_setting('transaction_read_only') AS read_only, current_setting('transaction_isolation') AS isolation,
       current_setting('server_version_num') AS server, quote_ident(current_user) AS role`,
  );
  role = server['role'] ?? role;
  if (Number(server['server']) < 120_000) throw refuse('version 12 or newer is needed');
  if (server['encoding'] !== 'UTF8')
    throw refuse(`the encoding of the database is ${server['encoding']}, it has to be UTF8`);
  if (server['standby'] === 'true') throw refuse('this is a standby: connect to the primary');
  if (server['read_only'] === 'on') throw refuse(READ_ONLY);
  if (server['isolation'] !== 'read committed') {
    throw refuse(
      `transactions are ${server['isolation']} by default: ` +
        `ALTER ROLE ${role} SET default_transaction_isolation = 'read committed'`,
    );
  }

  const { present } = await ask('present', `SELECT (to_regclass($1::text) IS NOT NULL)::text AS present`, [
    `${s}.meta`,
  ]);
  if (present === 'true') {
    const { version, functions } = await ask(
      'version',
      `SELECT version::text AS version, ${functionsVersionSql('to_regproc($1::text)')} AS functions FROM ${s}.meta`,
      [`${s}.write`],
    );
    if (version === undefined) throw refuse(emptyTable(s, 'meta'));
    if (Number(version) !== SCHEMA_VERSION) {
      throw refuse(
        `the schema ${s} has version ${version}, this release supports ${SCHEMA_VERSION}: ` +
          'use the release that wrote it, or a newer one',
      );
    }
    if (Number(functions) < FUNCTIONS_VERSION) {
      if (!migrate) {
        throw refuse(
          `the functions of the schema ${s} are of an earlier release: apply postgresSchema() of this release`,
        );
      }
      await ask('update', postgresSchema({ schema }));
    }
  } else {
    if (!migrate) {
      throw refuse(`the schema ${s} does not exist: apply postgresSchema(), or open the store without migrate: false`);
    }
    // If two stores do this at once, the second waits for the first and finds nothing left to do.
    await ask('create', postgresSchema({ schema }));
  }
  // As text, because the driver `postgres` converts a parameter of type boolean by itself, and 'true' to false.
  const begin = `SELECT set_config('lock_timeout', $3::text, true) AS waits,
    ${s}.open_store($1::bigint, $2::text::boolean)::text AS revision`;
  const opened = await ask('begin', begin, [start === undefined ? null : String(start), String(raise), `${timeoutMs}`]);
  return numberOf(opened['revision']);
}
