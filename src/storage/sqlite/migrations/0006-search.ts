/**
 * Additive: words by which documents are searched, each row as new as the entry `-n`: the index
 * finds the lowest numbers fastest, and those are the newest. It holds words as they were
 * cut. A redaction takes the words away at once; the next search puts those back that are left.
 */
export const sql = `
/* SQLite itself makes these for the index:
CREATE TABLE 'search_data'(id INTEGER PRIMARY KEY, block BLOB)
CREATE TABLE 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID
CREATE TABLE 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB)
CREATE TABLE 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID */
DROP TRIGGER handoff_words_erased;
DROP TABLE handoff_words;
DROP TRIGGER handoff_words_new;
CREATE TABLE word (n INTEGER PRIMARY KEY, at TEXT NOT NULL, uid TEXT NOT NULL UNIQUE, words TEXT) STRICT;
CREATE INDEX word_at ON word (at, n DESC);
CREATE VIRTUAL TABLE search USING fts5(words, content='word', content_rowid='n', tokenize='ascii tokenchars ''^=:._/-''');
CREATE TRIGGER word_new AFTER INSERT ON word BEGIN
  INSERT INTO search (rowid, words) VALUES (new.n, new.words);
END;
CREATE TRIGGER word_gone AFTER DELETE ON word BEGIN
  INSERT INTO search (search, rowid, words) VALUES ('delete', old.n, old.words);
END;
CREATE TRIGGER word_redacted AFTER INSERT ON entry WHEN new.act = 'audit.redact' BEGIN
  DELETE FROM word WHERE uid = new.subject;
  INSERT INTO word (n, at, uid) VALUES (-new.id, new.at, new.subject);
END;
`
