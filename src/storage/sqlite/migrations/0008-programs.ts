const USED = `SELECT '$' || h.uid || ' ' || json_array(json_extract(a.value, '$.holder'), json_extract(h.doc, '$.task'), h.run,
    json_extract(a.value, '$.started_at'), json(json_extract(a.value, '$.usage')), a.key), h.uid
  FROM handoff AS h, json_each(h.doc, '$.attempts') AS a WHERE json_extract(a.value, '$.usage') NOT NULL`

/**
 * Additive: the newest output of programs that run now, which is shown and never copied; a redaction takes it away.
 * An attempt whose program reported cost has a key, `$uid [agent, task, run, start, usage, place]`, for reports.
 */
export const sql = `
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
