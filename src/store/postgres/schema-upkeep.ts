import { FUNCTION_SETTINGS, WRITER_SETTINGS } from './schema-functions.js';

/**
 * Removes what is due: the earliest first, each with a revision of its own. Returns how many, and the latest revision.
 * Without anything due it takes no lock.
 */
export function expireFunction(s: string, channel: string): string {
  return `
    CREATE FUNCTION ${s}.expire(p_due bigint, p_limit integer, p_clock bigint, p_wait_ms integer)
    RETURNS TABLE (r_count bigint, r_revision bigint)
    LANGUAGE plpgsql ${FUNCTION_SETTINGS} AS $body$
    DECLARE
      v_base bigint;
      v_at bigint;
    BEGIN
      r_count := 0;
      IF NOT EXISTS (SELECT FROM ${s}.current c WHERE c.expires_at <= p_due) THEN
        RETURN NEXT;
        RETURN;
      END IF;
      ${WRITER_SETTINGS}
      SELECT c.revision, greatest(c.at, p_clock) INTO v_base, v_at FROM ${s}.counter c WHERE c.id FOR UPDATE;
      WITH due AS MATERIALIZED (
        SELECT d.key, d.rev, d.expires_at, row_number() OVER (ORDER BY d.expires_at, d.key) AS place
        FROM (SELECT c.key, c.rev, c.expires_at FROM ${s}.current c WHERE c.expires_at <= p_due
              ORDER BY c.expires_at LIMIT p_limit) d
      ), gone AS (
        DELETE FROM ${s}.current c USING due WHERE c.key = due.key
      )
      INSERT INTO ${s}.versions (rev, key, deleted, previous, at, expires_at)
      SELECT v_base + due.place, due.key, true, due.rev, v_at, due.expires_at FROM due;
      GET DIAGNOSTICS r_count = ROW_COUNT;
      r_revision := v_base + r_count;
      IF r_count > 0 THEN
        UPDATE ${s}.counter c SET revision = r_revision, at = v_at WHERE c.id;
        PERFORM pg_notify('${channel}', r_revision::text);
      END IF;
      RETURN NEXT;
    END
    $body$;`;
}

/**
 * Forgets a step of history: up to \`p_limit\` rows of the log that were written at or before \`p_before\`. The floor rises
 * in the same transaction, and a page is read in one statement together with the floor, so a page is exact or refused.
 * A row of the log goes when what superseded it is behind the floor; a deletion goes with itself. One caller at a time;
 * writers are not held up. Returns how many rows of the log were passed.
 */
export function compactFunction(s: string, schema: string): string {
  return `
    CREATE FUNCTION ${s}.compact(p_before bigint, p_limit integer) RETURNS bigint
    LANGUAGE plpgsql ${FUNCTION_SETTINGS} AS $body$
    DECLARE
      v_floor bigint;
      v_last bigint;
      v_passed bigint;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtextextended('kube-vitals history ${schema}', 0)) THEN
        RETURN 0;
      END IF;
      SELECT m.floor INTO v_floor FROM ${s}.meta m;
      SELECT max(p.rev), count(*) INTO v_last, v_passed
      FROM (SELECT v.rev, v.at FROM ${s}.versions v WHERE v.rev > v_floor ORDER BY v.rev LIMIT p_limit) p
      WHERE p.at <= p_before;
      IF v_passed = 0 THEN
        RETURN 0;
      END IF;
      UPDATE ${s}.meta SET floor = v_last;
      DELETE FROM ${s}.versions v WHERE v.rev IN (
        SELECT p.previous FROM ${s}.versions p WHERE p.rev > v_floor AND p.rev <= v_last AND p.previous IS NOT NULL
        UNION ALL
        SELECT p.rev FROM ${s}.versions p WHERE p.rev > v_floor AND p.rev <= v_last AND p.deleted
      );
      RETURN v_passed;
    END
    $body$;`;
}
