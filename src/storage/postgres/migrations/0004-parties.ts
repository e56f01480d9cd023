/** Adds the party rows that are missing for these handoffs. */
export const addParties = (which: string): string => `INSERT INTO baton.party (ws, agent, side, uid)
  SELECT h.ws, k.agent, k.side, h.uid FROM baton.handoff AS h
  CROSS JOIN LATERAL (VALUES (h.from_agent, 'from'), (h.to_agent, 'to')) AS k (agent, side)
  WHERE ${which} AND h.open = 1 ON CONFLICT DO NOTHING`

/** The rights on the handoffs, given on this table too; who may change a handoff may also remove rows here. */
export const likeHandoff = (table: string): string => `DO $$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT DISTINCT
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS who,
      unnest(CASE a.privilege_type WHEN 'UPDATE' THEN ARRAY['UPDATE', 'DELETE'] ELSE ARRAY[a.privilege_type] END) AS what
    FROM pg_catalog.pg_class AS c CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS a
    WHERE c.oid = 'baton.handoff'::regclass AND a.grantee <> c.relowner
      AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  LOOP
    EXECUTE format('GRANT %s ON baton.${table} TO %s', given.what, given.who);
  END LOOP;
END $$;`

/**
 * Additive: who has what open stands in a table of its own, with a row where one begins and none where it has ended. As
 * indexes of the handoffs it was written again with every step. This program writes the rows itself and says so in its
 * sessions; for an older one beside it the trigger does. A role that may use the handoffs may use this table.
 */
export const sql = `
LOCK TABLE baton.handoff IN ACCESS EXCLUSIVE MODE;
CREATE TABLE baton.party (
  ws integer NOT NULL,
  agent text COLLATE "C" NOT NULL,
  side text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  PRIMARY KEY (ws, agent, side, uid)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
${addParties('true')};
DROP INDEX baton.handoff_open_from, baton.handoff_open_to;
CREATE FUNCTION baton.keep_parties() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM baton.party WHERE ws = old.ws AND uid = old.uid
      AND (agent = old.from_agent AND side = 'from' OR agent = old.to_agent AND side = 'to');
  END IF;
  IF new.open = 1 THEN
    INSERT INTO baton.party (ws, agent, side, uid)
      VALUES (new.ws, new.from_agent, 'from', new.uid), (new.ws, new.to_agent, 'to', new.uid) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER handoff_parties AFTER INSERT OR UPDATE OF open, to_agent ON baton.handoff FOR EACH ROW
  WHEN (pg_catalog.current_setting('baton.parties', true) IS DISTINCT FROM 'kept')
  EXECUTE FUNCTION baton.keep_parties();
${likeHandoff('party')}
`
