/** Additive: a handoff that is taken over with an old uid is a correction of the flow too. */
export const sql = `
CREATE FUNCTION baton.flow_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM baton.correct_flow(new.ws, '+#' || split_part(split_part(new.doc, '"created_at":"', 2), '"', 1) || ' '
    || new.to_agent || ' ' || new.from_agent, new.uid);
  RETURN NULL;
END $$;
CREATE TRIGGER flow_made AFTER INSERT ON baton.handoff FOR EACH ROW
  WHEN (replace(left(new.uid, 13), '-', '')
    < lpad(to_hex((extract(epoch FROM statement_timestamp())::bigint - 3600) * 1000), 12, '0')
    AND pg_catalog.current_setting('baton.lists', true) IS DISTINCT FROM 'later') EXECUTE FUNCTION baton.flow_made();
`
