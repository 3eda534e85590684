import { DATABASE_NOW, FUNCTION_SETTINGS, ROW_BYTES, SIZE, stampSql, WRITER_SETTINGS } from './schema-functions.js';

/** Removes due events by the database's clock, the earliest first; returns their number and the latest revision. */
export function expireFunction(s: string, channel: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${s}.expire(p_due bigint, p_limit integer, p_seen bigint, p_clock bigint, p_wait_ms integer)
    RETURNS TABLE (r_count bigint, r_revision bigint)
    LANGUAGE plpgsql ${FUNCTION_SETTINGS} AS $body$
    DECLARE
      v_base bigint;
      v_at bigint;
      v_total bigint;
      v_due bigint := least(p_due, ${DATABASE_NOW});
    BEGIN
      r_count := 0;
      IF NOT EXISTS (SELECT FROM ${s}.current c WHERE c.expires_at <= v_due) THEN
        RETURN NEXT;
        RETURN;
      END IF;
      ${WRITER_SETTINGS}
      v_base := ${s}.lift(p_seen);
      v_at := ${stampSql('p_clock')};
      SELECT c.total INTO v_total FROM ${s}.counter c WHERE c.id;
      WITH due AS MATERIALIZED (
        SELECT d.key, d.rev, d.expires_at, row_number() OVER (ORDER BY d.expires_at, d.key) AS place
        FROM (SELECT c.key, c.rev, c.expires_at FROM ${s}.current c WHERE c.expires_at <= v_due
              ORDER BY c.expires_at LIMIT p_limit) d
      ), gone AS (
        DELETE FROM ${s}.current c USING due WHERE c.key = due.key
      )
      INSERT INTO ${s}.versions (rev, key, deleted, previous, at, total, expires_at)
      SELECT v_base + due.place, due.key, true, due.rev, v_at,
        v_total + (sum(${ROW_BYTES} + ${SIZE}) OVER (ORDER BY due.place))::bigint, due.expires_at
      FROM due JOIN ${s}.versions v ON v.rev = due.rev;
      GET DIAGNOSTICS r_count = ROW_COUNT;
      r_revision := v_base + r_count;
      IF r_count > 0 THEN
        UPDATE ${s}.counter c SET revision = r_revision, at = v_at,
          total = (SELECT v.total FROM ${s}.versions v WHERE v.rev = r_revision)
        WHERE c.id;
        PERFORM pg_notify('${channel}', r_revision::text);
      END IF;
      RETURN NEXT;
    END
    $body$;`;
}

/**
 * Deletes a step of history: up to `p_limit` rows of the log, the oldest first, that are older than `p_keep`
 * microseconds by the clock of the database, or followed by more than `p_max_bytes`, or below the floor. Rows stamped
 * further in the future than history reaches back count as old: a clock was wrong.
 *
 * The floor rises in the same transaction, so that a page is exact or refused. A row is deleted when its successor is
 * below the floor; a deletion when it is so itself. Writers do not wait. Returns the number of rows processed.
 */
export function compactFunction(s: string, schema: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${s}.compact(p_keep bigint, p_limit integer, p_max_bytes bigint, p_clock bigint) RETURNS bigint
    LANGUAGE plpgsql ${FUNCTION_SETTINGS} AS $body$
    DECLARE
      v_meta record;
      v_total bigint;
      v_last bigint;
      v_passed bigint;
      v_now bigint := ${DATABASE_NOW};
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtextextended('kube-vitals history ${schema}', 0)) THEN
        RETURN 0;
      END IF;
      SELECT m.floor, m.forgotten INTO v_meta FROM ${s}.meta m;
      SELECT c.total INTO v_total FROM ${s}.counter c;
      SELECT max(q.rev), count(*) INTO v_last, v_passed
      FROM (
        SELECT p.rev, bool_and(p.rev <= v_meta.floor OR p.at < least(p_clock, v_now) - p_keep OR p.at > v_now + p_keep
          OR p.total <= v_total - p_max_bytes) OVER (ORDER BY p.rev) AS passed
        FROM (SELECT v.rev, v.at, v.total FROM ${s}.versions v WHERE v.rev > v_meta.forgotten ORDER BY v.rev LIMIT p_limit) p
      ) q
      WHERE q.passed;
      IF v_passed = 0 THEN
        RETURN 0;
      END IF;
      UPDATE ${s}.meta m SET forgotten = v_last, floor = greatest(m.floor, v_last);
      DELETE FROM ${s}.raises r WHERE r.revision < v_last;
      DELETE FROM ${s}.versions v WHERE v.rev IN (
        SELECT p.previous FROM ${s}.versions p
        WHERE p.rev > v_meta.forgotten AND p.rev <= v_last AND p.previous IS NOT NULL
        UNION ALL
        SELECT p.rev FROM ${s}.versions p WHERE p.rev > v_meta.forgotten AND p.rev <= v_last AND p.deleted
      );
      RETURN v_passed;
    END
    $body$;`;
}
