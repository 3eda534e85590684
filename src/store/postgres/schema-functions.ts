import { TOO_LATE } from './server-clock.js';

/** Plans are kept for a connection while the tables grow: none may be good only for small tables. */
export const FUNCTION_SETTINGS = `SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
    SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off`;

/** Writers wait for the lock no longer than their clients do, and a commit is on disk before it is visible. */
export const WRITER_SETTINGS = `PERFORM set_config('lock_timeout', p_wait_ms::text, true);
      IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
      END IF;`;

/** The approximate bytes of a row of the log, besides the version it supersedes. */
export const ROW_BYTES = 256;

/** The size of an event in `versions v`. Nothing is decompressed for it. */
export const SIZE = 'octet_length(v.data) + octet_length(v.description)';

/** The clock of the database, in microseconds. */
export const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

/** The database's time, or an earlier one from a test: rows with a later time would keep history from being deleted. */
export const stampSql = (given: string): string => `least(${given}, ${DATABASE_NOW})`;

/**
 * Performs a batch of writes with different keys. The counter's row is locked first, until the commit: reads see what
 * every earlier writer has written, and revisions become visible in order. Writes whose condition holds get the next
 * revisions, in the order of the batch, in one statement.
 *
 * Nothing is written after `p_until` (microseconds): the sender has repeated the batch. `p_seen` is as in `lift`.
 * A create that is repeated after its connection was lost may find that the first attempt takes effect after all, before
 * it or later, and that the event was deleted meanwhile: what was created after `s` by the same create is not created again.
 * Kinds: 0 create, 1 replace, 2 remove. Each write has a row: the new revision or null, the previous revision, and for
 * a removal the last state.
 */
export function writeFunction(s: string, channel: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${s}.write(p_ops text, p_data bytea, p_seen bigint, p_clock bigint, p_wait_ms integer,
      p_until bigint)
    RETURNS TABLE (r_ord bigint, r_rev bigint, r_had bigint, r_expires_at bigint, r_description text, r_data text)
    LANGUAGE plpgsql ${FUNCTION_SETTINGS} AS $body$
    DECLARE
      v_base bigint;
      v_last bigint;
      v_at bigint;
      v_total bigint;
    BEGIN
      ${WRITER_SETTINGS}
      v_base := ${s}.lift(p_seen);
      v_at := ${stampSql('p_clock')};
      SELECT c.total INTO v_total FROM ${s}.counter c WHERE c.id;
      IF extract(epoch FROM clock_timestamp()) * 1000000 > p_until THEN
        RAISE EXCEPTION 'the write came after its deadline' USING ERRCODE = '${TOO_LATE}';
      END IF;
      RETURN QUERY
      WITH op AS MATERIALIZED (
        SELECT o.*, (SELECT c.rev FROM ${s}.current c WHERE c.key = o.k) AS had
        FROM ROWS FROM (json_to_recordset(p_ops::json)
          AS (t integer, k text, x bigint, o integer, l integer, d text, e bigint, n text, u text, s bigint))
          WITH ORDINALITY AS o (t, k, x, o, l, d, e, n, u, s, ord)
      ), judged AS MATERIALIZED (
        SELECT op.*, CASE WHEN op.t = 0 THEN op.had IS NULL AND NOT EXISTS (SELECT FROM ${s}.versions v
            WHERE v.key = op.k AND v.rev > op.s AND v.previous IS NULL AND v.description = op.d AND v.expires_at = op.e)
          ELSE op.had IS NOT NULL AND (op.x IS NULL OR op.x = op.had) END AS ok
        FROM op
      ), num AS MATERIALIZED (
        SELECT j.*, v_base + sum(j.ok::integer) OVER (ORDER BY j.ord ROWS UNBOUNDED PRECEDING) AS rev,
          v_total + (sum(CASE WHEN j.ok THEN ${ROW_BYTES} + coalesce((SELECT ${SIZE} FROM ${s}.versions v WHERE v.rev = j.had), 0)
            ELSE 0 END) OVER (ORDER BY j.ord ROWS UNBOUNDED PRECEDING))::bigint AS total
        FROM judged j
      ), counted AS (
        UPDATE ${s}.counter c SET revision = a.last, at = v_at, total = a.total
        FROM (SELECT max(num.rev) AS last, max(num.total) AS total FROM num WHERE num.ok) a
        WHERE a.last IS NOT NULL AND c.id
      ), logged AS (
        INSERT INTO ${s}.versions
          (rev, key, deleted, previous, at, total, expires_at, regarding_name, regarding_uid, description, data)
        SELECT num.rev, num.k, num.t = 2, num.had, v_at, num.total, coalesce(num.e, 0), num.n, num.u, num.d,
          CASE WHEN num.t < 2 THEN substring(p_data FROM num.o + 1 FOR num.l) END
        FROM num WHERE num.ok
      ), kept AS (
        INSERT INTO ${s}.current AS c (key, namespace, rev, expires_at)
        SELECT num.k, split_part(num.k, '/', 1), num.rev, num.e FROM num WHERE num.ok AND num.t < 2
        ON CONFLICT (key) DO UPDATE SET rev = excluded.rev, expires_at = excluded.expires_at
      ), gone AS (
        DELETE FROM ${s}.current c USING num WHERE num.ok AND num.t = 2 AND c.key = num.k
      )
      SELECT num.ord, CASE WHEN num.ok THEN num.rev END, num.had, v.expires_at, v.description, encode(v.data, 'hex')
      FROM num LEFT JOIN ${s}.versions v ON num.ok AND num.t = 2 AND v.rev = num.had
      ORDER BY num.ord;
      SELECT c.revision INTO v_last FROM ${s}.counter c WHERE c.id;
      IF v_last > v_base THEN
        PERFORM pg_notify('${channel}', v_last::text);
      END IF;
    END
    $body$;`;
}

/**
 * The keys of a page of an older state, in order, each with its newest version then, in the calling statement's
 * snapshot. With young statistics the planner alone would read and sort everything.
 */
export function snapshotFunction(s: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${s}.snapshot_keys(p_at bigint, p_above text, p_below text, p_limit bigint)
    RETURNS TABLE (r_key text, r_rev bigint)
    LANGUAGE plpgsql STABLE ROWS 500 ${FUNCTION_SETTINGS} SET enable_sort = off SET enable_bitmapscan = off AS $body$
    BEGIN
      RETURN QUERY
      SELECT n.key, n.rev FROM (
        SELECT DISTINCT ON (v.key) v.key, v.rev, v.deleted FROM ${s}.versions v
        WHERE v.key > p_above AND v.key < p_below AND v.rev <= p_at
        ORDER BY v.key, v.rev DESC
      ) n WHERE NOT n.deleted LIMIT p_limit;
    END
    $body$;`;
}
