/**
 * Additive: a workspace says how often its agents have changed, so that whoever remembers some of them can ask with one
 * look whether they are the same still. Counted by the database, at the very end of a transaction (its row is then the
 * last that is waited for), also for an older program and for a user who may not change workspaces. It is done with the
 * rights of whoever has the workspaces, not of whoever came with the first newer program.
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
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION baton.count_agents() OWNER TO %s',
    (SELECT relowner::regrole FROM pg_catalog.pg_class WHERE oid = 'baton.workspace'::regclass));
EXCEPTION WHEN insufficient_privilege THEN
  -- An owner who may make nothing in the schema can have nothing there that is new.
END $$;
`
