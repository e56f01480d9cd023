/**
 * Additive: what is over is found by its state, and words are looked for in a narrow table, so that a board over a long
 * history reads no documents that it does not show. Triggers keep the words, so that an older program beside does too.
 */
export const sql = `
CREATE INDEX handoff_ended ON handoff (state, uid) WHERE open = 0;
CREATE TABLE handoff_words (uid TEXT PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO handoff_words SELECT uid, id, coalesce(json_extract(doc, '$.title'), '') FROM handoff;
CREATE TRIGGER handoff_words_new AFTER INSERT ON handoff BEGIN
  INSERT OR REPLACE INTO handoff_words VALUES (new.uid, new.id, coalesce(json_extract(new.doc, '$.title'), ''));
END;
CREATE TRIGGER handoff_words_changed AFTER UPDATE OF doc ON handoff
WHEN json_extract(new.doc, '$.title') IS NOT json_extract(old.doc, '$.title') BEGIN
  UPDATE handoff_words SET title = coalesce(json_extract(new.doc, '$.title'), '') WHERE uid = new.uid;
END;
`
