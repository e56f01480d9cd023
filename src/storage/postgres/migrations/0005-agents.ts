/**
 * Additive: a workspace says how often its agents have changed, so that whoever remembers some of them can ask with one
 * look whether they are the same still. Counted by the database, at the very end of a transaction (its row is then the
 * last that is waited for), also for an older program and for a user who may not change workspaces.
 */
export const sql = `
ALTER TABLE baton.workspace ADD COLUMN agents bigint NOT NULL DEFAULT 0;
CREATE FUNCTION baton.count_agents() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  UPDATE baton.workspace SET agents = agents + 1 WHERE id = coalesce(new.ws, old.ws);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER agent_changed AFTER INSERT OR UPDATE OR DELETE ON baton.agent
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION baton.count_agents();
`
