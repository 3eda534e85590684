import { DATABASE_NOW, stampSql } from './schema-functions.js';

/** How far revisions are raised where the data went back: by more than can have been assigned since. */
const MARGIN = 1_000_000_000;

/** Reads the timeline of the log, which changes with a promotion and a restore. Null where a hosted server hides it. */
const READ_TIMELINE = `BEGIN
        v_timeline := substring(pg_walfile_name(pg_current_wal_lsn()) FOR 8);
      EXCEPTION WHEN OTHERS THEN
        v_timeline := NULL;
      END;`;

/** Without the row of this table the store cannot be used. `s` is the quoted schema. */
export const emptyTable = (s: string, table: 'meta' | 'counter'): string =>
  `the table ${s}.${table} is empty, or row level security hides its row: restore it, or drop the schema`;

/** The identifier of the cluster, which differs after a dump was restored elsewhere. */
export function systemFunction(s: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${s}.system() RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      RETURN (SELECT c.system_identifier::text FROM pg_control_system() c);
    EXCEPTION WHEN OTHERS THEN
      RETURN NULL;
    END
    $body$;`;
}

/**
 * Locks the counter until the commit and returns the latest revision. Where the data went back to an earlier state, it
 * is first raised above everything that can have been assigned, and at least to the clock, in case of an old backup. So
 * is the floor: earlier revisions are expired. The data went back when
 *
 * - the caller knows a later revision (`p_seen`),
 * - the log has rows above the counter,
 * - the timeline of the server has changed: a standby was promoted, and may have lagged,
 * - the table has changed: a dump was restored.
 */
export function liftFunction(s: string, channel: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${s}.lift(p_seen bigint) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
    DECLARE
      v_counter record;
      v_log bigint;
      v_timeline text;
      v_place bigint := '${s}.counter'::regclass::oid::bigint;
      v_revision bigint;
    BEGIN
      ${READ_TIMELINE}
      SELECT c.revision, c.timeline, c.place INTO v_counter FROM ${s}.counter c WHERE c.id FOR UPDATE;
      IF NOT FOUND THEN
        RAISE EXCEPTION '${emptyTable(s, 'counter')}';
      END IF;
      v_log := (SELECT v.rev FROM ${s}.versions v ORDER BY v.rev DESC LIMIT 1);
      IF v_counter.revision >= p_seen AND v_counter.revision >= coalesce(v_log, 0) AND v_counter.place = v_place
         AND coalesce(v_counter.timeline = v_timeline, true) THEN
        RETURN v_counter.revision;
      END IF;
      v_revision := greatest(greatest(v_counter.revision, p_seen, v_log) + ${MARGIN}, ${DATABASE_NOW});
      UPDATE ${s}.counter c
      SET revision = v_revision, timeline = coalesce(v_timeline, c.timeline), place = v_place, system = ${s}.system()
      WHERE c.id;
      UPDATE ${s}.meta SET floor = v_revision;
      PERFORM pg_notify('${channel}', v_revision::text);
      RETURN v_revision;
    END
    $body$;`;
}

/** Begins a new database at a revision, or at the clock; may raise an older one to it. Returns the latest revision. */
export function openFunction(s: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${s}.open_store(p_start bigint, p_raise boolean) RETURNS bigint
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
    DECLARE
      v_revision bigint;
      v_timeline text;
      v_start bigint := CASE WHEN p_raise THEN ${stampSql('p_start')} ELSE p_start END;
    BEGIN
      ${READ_TIMELINE}
      SELECT c.revision INTO v_revision FROM ${s}.counter c WHERE c.id FOR UPDATE;
      IF v_revision = 0 THEN
        UPDATE ${s}.counter c
        SET revision = v_start, timeline = v_timeline, place = '${s}.counter'::regclass::oid::bigint, system = ${s}.system()
        WHERE c.id;
        UPDATE ${s}.meta SET floor = v_start, forgotten = v_start;
        RETURN v_start;
      END IF;
      UPDATE ${s}.counter c SET place = 0 WHERE c.id AND c.system <> ${s}.system();
      v_revision := ${s}.lift(0);
      UPDATE ${s}.counter c SET timeline = v_timeline, system = ${s}.system() WHERE c.id AND c.timeline IS NULL;
      IF v_revision >= v_start OR NOT p_raise THEN
        RETURN v_revision;
      END IF;
      UPDATE ${s}.counter c SET revision = v_start WHERE c.id;
      INSERT INTO ${s}.raises (revision) VALUES (v_start);
      RETURN v_start;
    END
    $body$;`;
}

/** Whether a revision is part of this history: the counter may have been raised above lost ones. */
export const hasPassed = (s: string, at: string): string =>
  `(${at} <= floor OR ${at} >= revision OR EXISTS (SELECT FROM ${s}.versions v WHERE v.rev = ${at})
    OR EXISTS (SELECT FROM ${s}.raises r WHERE r.revision = ${at}))::text`;
