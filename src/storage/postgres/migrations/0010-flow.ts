/** An index is read up to an instant that stands still while the statement runs. */
const ago = (time: string) =>
  `to_char((statement_timestamp() - interval '${time}') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
const NOW = ago('0').replace('statement', 'clock')
const correct = (row: string, counted: string) =>
  `PERFORM baton.correct_flow(${row}.ws, ${counted}, ${row}.uid);`
const made = (row: string) =>
  `split_part(split_part(${row}.doc, '"created_at":"', 2), '"', 1) || ' ' || ${row}.to_agent || ' ' || ${row}.from_agent`

/**
 * Additive: reports keep what they have counted of handoffs that ended or were made long ago. A row among those that
 * comes late, goes away or gets another receiver leaves a key for two days, `+instant`, then `+` or `-` and the row.
 */
export const sql = `
LOCK TABLE baton.handoff IN SHARE ROW EXCLUSIVE MODE;
CREATE FUNCTION baton.correct_flow(workspace integer, counted text, handoff text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM baton.facet WHERE ws = workspace AND key > '+' AND key < '+' || ${ago('2 days')};
  INSERT INTO baton.facet (ws, key, uid) VALUES (workspace, '+' || ${NOW} || ' ' || counted, handoff)
    ON CONFLICT DO NOTHING;
$$;
CREATE FUNCTION baton.flow_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN ${correct('old', `'-' || old.key`)}
  ELSIF TG_OP = 'INSERT' THEN ${correct('new', `'+' || new.key`)}
  ELSE
    ${correct('old', `'-#' || ${made('old')}`)}
    ${correct('new', `'+#' || ${made('new')}`)}
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER flow_gone AFTER DELETE ON baton.facet FOR EACH ROW WHEN (left(old.key, 1) = '@')
  EXECUTE FUNCTION baton.flow_changed();
CREATE TRIGGER flow_late AFTER INSERT ON baton.facet FOR EACH ROW
  WHEN (left(new.key, 1) = '@' AND substr(new.key, 2, 24) < ${ago('1 hour')}
    AND pg_catalog.current_setting('baton.lists', true) IS DISTINCT FROM 'later') EXECUTE FUNCTION baton.flow_changed();
CREATE TRIGGER flow_given AFTER UPDATE OF to_agent ON baton.handoff FOR EACH ROW WHEN (old.to_agent <> new.to_agent)
  EXECUTE FUNCTION baton.flow_changed();
`
