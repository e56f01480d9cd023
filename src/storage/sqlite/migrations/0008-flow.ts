const NEWEST = '(SELECT at FROM entry ORDER BY id DESC LIMIT 1)'
/** As of the store's clock: a process may have a clock of its own, and the clock of the machine may be set back. */
const NOW = `max(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), coalesce(${NEWEST}, ''))`
const HOUR_AGO = `strftime('%Y-%m-%dT%H:%M:%fZ', ${NOW}, '-1 hour')`
const CLEAR = `DELETE FROM facet WHERE key > '+' AND key < '+' || strftime('%Y-%m-%dT%H:%M:%fZ', ${NEWEST}, '-2 days')`
const CORRECT = `INSERT OR IGNORE INTO facet SELECT '+' || ${NOW} ||`
const MADE = `json_extract(new.doc, '$.created_at') || ' '`

/**
 * Additive: reports keep what they have counted of handoffs that ended or were made long ago. A row among those that
 * comes late, has an old uid, goes away or gets another receiver leaves a key for two days, `+instant`, then `+` or `-`
 * and the row.
 */
export const sql = `
CREATE TRIGGER flow_gone AFTER DELETE ON facet WHEN substr(old.key, 1, 1) = '@' BEGIN
  ${CLEAR};
  ${CORRECT} ' -' || old.key, old.uid;
END;
CREATE TRIGGER flow_late AFTER INSERT ON facet
WHEN substr(new.key, 1, 1) = '@' AND substr(new.key, 2, 24) < ${HOUR_AGO} BEGIN
  ${CLEAR};
  ${CORRECT} ' +' || new.key, new.uid;
END;
CREATE TRIGGER flow_given AFTER UPDATE OF to_agent ON handoff WHEN old.to_agent <> new.to_agent BEGIN
  ${CLEAR};
  ${CORRECT} ' -#' || ${MADE} || old.to_agent || ' ' || old.from_agent, new.uid;
  ${CORRECT} ' +#' || ${MADE} || new.to_agent || ' ' || new.from_agent, new.uid;
END;
CREATE TRIGGER flow_made AFTER INSERT ON handoff
WHEN replace(substr(new.uid, 1, 13), '-', '') < printf('%012x', (strftime('%s', ${NOW}) - 3600) * 1000) BEGIN
  ${CORRECT} ' +#' || ${MADE} || new.to_agent || ' ' || new.from_agent, new.uid;
END;
`
