/** What follows from these handoffs, where it is not there. */
export const addParties = (which: string): string => `INSERT INTO baton.party (ws, agent, side, uid)
  SELECT h.ws, k.agent, k.side, h.uid FROM baton.handoff AS h
  CROSS JOIN LATERAL (VALUES (h.from_agent, 'from'), (h.to_agent, 'to')) AS k (agent, side)
  WHERE ${which} AND h.open = 1 ON CONFLICT DO NOTHING`

/**
 * Additive: who has what open stands in a table of its own, with a row where one begins and none where it has ended. As
 * indexes of the handoffs it was written again with every step. This program writes the rows itself and says so in its
 * sessions. What an older one beside it writes is put right by the trigger: of a statement and not of its rows, since
 * that would cost the others as much as the indexes did. It adds first: what another transaction takes away meanwhile is
 * waited for, added again and, seen afresh, taken away.
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
  ${addParties('true')};
  DELETE FROM baton.party AS p WHERE NOT EXISTS (
    SELECT FROM baton.handoff AS h WHERE h.ws = p.ws AND h.uid = p.uid AND h.open = 1
      AND p.agent = CASE p.side WHEN 'from' THEN h.from_agent ELSE h.to_agent END);
  RETURN NULL;
END $$;
CREATE TRIGGER handoff_parties AFTER INSERT OR UPDATE ON baton.handoff FOR EACH STATEMENT
  WHEN (pg_catalog.current_setting('baton.parties', true) IS DISTINCT FROM 'kept')
  EXECUTE FUNCTION baton.keep_parties();
`
