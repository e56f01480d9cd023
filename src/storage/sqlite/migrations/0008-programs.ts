/** Additive: the newest output of programs that run now. It is shown and never copied; a redaction takes it away. */
export const sql = `
CREATE TABLE live (
  uid TEXT NOT NULL, attempt INTEGER NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (uid, attempt)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER live_redacted AFTER INSERT ON entry WHEN new.act = 'audit.redact' BEGIN
  DELETE FROM live WHERE uid = new.subject;
END;
`
