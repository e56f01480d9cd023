import { likeHandoff } from './0004-parties.ts'

const ENDED = ['completed', 'failed', 'rejected', 'expired', 'cancelled']
const COLUMNS = ENDED.join(', ')
const keysOf = (row: string) =>
  `baton.facets(${row}.from_agent, ${row}.to_agent, ${row}.doc, ${row}.state, ${row}.open)`

/** Adds the keys of these handoffs, which have none, and counts those that have ended. */
export const addLists = (which: string): string => `INSERT INTO baton.facet (ws, key, uid)
    SELECT h.ws, unnest(${keysOf('h')}), h.uid FROM baton.handoff AS h WHERE ${which};
  INSERT INTO baton.ended AS e (ws, slot, ${COLUMNS}, done)
    SELECT h.ws, -1, ${ENDED.map((state) => `count(*) FILTER (WHERE state = '${state}')`).join(', ')}, 0
    FROM baton.handoff AS h WHERE ${which} AND open = 0 GROUP BY h.ws;
  INSERT INTO baton.ended AS e (ws, slot, ${COLUMNS}, done)
    SELECT h.ws, -2, ${ENDED.map(() => '0').join(', ')}, count(*) FROM baton.task AS h
    WHERE ${which} AND status = 'done' GROUP BY h.ws`

/**
 * Additive: lists of handoffs by type, and of ended ones by sender, receiver or both, are found by one key
 * (\`sender receiver type state\`): a table with one index leaves the planner no other way. What has ended is counted
 * in the same transaction, in one of several rows, so that writers seldom wait for each other, and at its very end.
 * This program writes both itself and says so in its sessions; for an older one beside it the database does. A restore
 * fills them at once.
 */
export const sql = `
LOCK TABLE baton.handoff, baton.task IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE baton.facet (
  ws integer NOT NULL, key text COLLATE "C" NOT NULL, uid text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE baton.ended (
  ws integer NOT NULL,
  slot integer NOT NULL,
  ${ENDED.map((state) => `${state} bigint NOT NULL`).join(',\n  ')},
  done bigint NOT NULL,
  PRIMARY KEY (ws, slot)
) WITH (fillfactor = 10);
CREATE FUNCTION baton.facets(sender text, receiver text, doc text, state text, open integer) RETURNS text[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE open WHEN 1 THEN ARRAY['  ' || t || ' open']
    ELSE ARRAY['  ' || t || ' ' || state, sender || '  ' || t || ' ' || state,
      ' ' || receiver || ' ' || t || ' ' || state, sender || ' ' || receiver || ' ' || t || ' ' || state] END
  FROM (SELECT coalesce(CASE WHEN strpos(doc, '\\u') > 0 THEN substring(doc FROM '"type":"([a-z]*)"')
    ELSE doc::json ->> 'type' END, '') AS t) AS of_type
$$;
${addLists('true')};
ALTER TABLE baton.facet ADD PRIMARY KEY (ws, key, uid);
CREATE FUNCTION baton.keep_lists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM baton.facet WHERE ws = old.ws AND uid = old.uid AND key = ANY (${keysOf('old')});
  END IF;
  INSERT INTO baton.facet (ws, key, uid) SELECT new.ws, unnest(${keysOf('new')}), new.uid ON CONFLICT DO NOTHING;
  IF new.open = 0 OR old.open = 0 THEN
    INSERT INTO baton.ended AS e (ws, slot, ${COLUMNS}, done) VALUES (new.ws, pg_catalog.pg_backend_pid() % 16,
      ${ENDED.map((state) => `(new.state = '${state}')::integer - coalesce((old.state = '${state}')::integer, 0)`).join(',\n      ')}, 0)
    ON CONFLICT (ws, slot) DO UPDATE SET ${ENDED.map((state) => `${state} = e.${state} + excluded.${state}`).join(', ')};
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER handoff_lists_new AFTER INSERT ON baton.handoff DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (coalesce(pg_catalog.current_setting('baton.lists', true), '') NOT IN ('later', 'kept'))
  EXECUTE FUNCTION baton.keep_lists();
CREATE CONSTRAINT TRIGGER handoff_lists AFTER UPDATE OF state ON baton.handoff DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((old.open = 0 OR new.open = 0) AND old.state <> new.state
    AND pg_catalog.current_setting('baton.lists', true) IS DISTINCT FROM 'kept') EXECUTE FUNCTION baton.keep_lists();
CREATE FUNCTION baton.count_done() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO baton.ended AS e (ws, slot, ${COLUMNS}, done) VALUES (new.ws, pg_catalog.pg_backend_pid() % 16,
    ${ENDED.map(() => '0').join(', ')}, (new.status = 'done')::integer - coalesce((old.status = 'done')::integer, 0))
  ON CONFLICT (ws, slot) DO UPDATE SET done = e.done + excluded.done;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER task_done_new AFTER INSERT ON baton.task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (new.status = 'done' AND pg_catalog.current_setting('baton.lists', true) IS DISTINCT FROM 'later')
  EXECUTE FUNCTION baton.count_done();
CREATE CONSTRAINT TRIGGER task_done AFTER UPDATE OF status ON baton.task DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((old.status = 'done') <> (new.status = 'done')) EXECUTE FUNCTION baton.count_done();
${likeHandoff('facet')}
${likeHandoff('ended')}
DO $$
DECLARE
  owner text := (SELECT relowner::regrole FROM pg_catalog.pg_class WHERE oid = 'baton.handoff'::regclass);
BEGIN
  EXECUTE format('ALTER TABLE baton.facet OWNER TO %s; ALTER TABLE baton.ended OWNER TO %s', owner, owner);
EXCEPTION WHEN insufficient_privilege THEN
  -- An owner who may make nothing in the schema can have nothing there that is new.
END $$;
DROP INDEX baton.handoff_ended;
`
