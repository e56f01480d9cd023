const FIELD_TIME = `strftime('%Y-%m-%dT%H:%M:%fZ', json_extract(row.doc, '$.`
const ENDED_AT = `coalesce(${FIELD_TIME}ended_at')), ${FIELD_TIME}updated_at')), '0001-01-01T00:00:00.000Z')`
const MADE = `coalesce(${FIELD_TIME}created_at')), '0001-01-01T00:00:00.000Z')`

/**
 * `@end creation milliseconds state receiver sender retries`: the first parts have one width each, so that reports can
 * cut them out.
 */
const ROW = `'@' || ${ENDED_AT} || ' ' || ${MADE} || ' '
  || printf('%013d', max(0, round((julianday(${ENDED_AT}) - julianday(${MADE})) * 86400000))) || ' ' || substr(row.state, 1, 2) || ' '
  || row.to_agent || ' ' || row.from_agent || ' ' || max(0, coalesce(json_array_length(row.doc, '$.attempts'), 0) - 1)`
const NEW = ROW.replaceAll('row.', 'new.')
const OLD = ROW.replaceAll('row.', 'old.')

const USED = `SELECT '$' || h.uid || ' ' || json_array(json_extract(a.value, '$.holder'), json_extract(h.doc, '$.task'), h.run,
    json_extract(a.value, '$.started_at'), json(json_extract(a.value, '$.usage')), a.key), h.uid
  FROM handoff AS h, json_each(h.doc, '$.attempts') AS a WHERE json_extract(a.value, '$.usage') NOT NULL`

/**
 * Additive: a handoff that has ended is found by when it ended, so that reports count without reading documents. An
 * attempt whose program reported cost has a key, `$uid [agent, task, run, start, usage, place]`. The newest output of
 * programs that run now is shown and never copied; a redaction takes it away.
 */
export const sql = `
INSERT INTO facet SELECT ${ROW}, uid FROM handoff AS row WHERE open = 0;
CREATE TRIGGER handoff_outcome_new AFTER INSERT ON handoff WHEN new.open = 0 BEGIN
  INSERT OR IGNORE INTO facet SELECT ${NEW}, new.uid;
END;
CREATE TRIGGER handoff_outcome AFTER UPDATE OF state ON handoff
WHEN (old.open = 0 OR new.open = 0) AND old.state <> new.state BEGIN
  DELETE FROM facet WHERE old.open = 0 AND uid = old.uid AND key = ${OLD};
  INSERT OR IGNORE INTO facet SELECT ${NEW}, new.uid WHERE new.open = 0;
END;
CREATE TABLE live (
  uid TEXT NOT NULL, attempt INTEGER NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (uid, attempt)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER live_redacted AFTER INSERT ON entry WHEN new.act = 'audit.redact' BEGIN
  DELETE FROM live WHERE uid = new.subject;
END;
INSERT INTO facet ${USED};
CREATE TRIGGER usage_kept AFTER INSERT ON entry WHEN new.act = 'handoff.usage' BEGIN
  DELETE FROM facet WHERE key > '$' || new.subject AND key < '$' || new.subject || '!';
  INSERT OR IGNORE INTO facet ${USED} AND h.uid = new.subject;
END;
`
