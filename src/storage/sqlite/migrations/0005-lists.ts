/** Type and state, the end of every key. An open handoff has a key of its type only. */
const ROW = `' ' || coalesce(json_extract(handoff.doc, '$.type'), '') || ' ' || CASE handoff.open WHEN 1 THEN 'open' ELSE handoff.state END`
const NEW = `' ' || coalesce(json_extract(new.doc, '$.type'), '') || ' ' || CASE new.open WHEN 1 THEN 'open' ELSE new.state END`
const OLD = `' ' || coalesce(json_extract(old.doc, '$.type'), '') || ' ' || CASE old.open WHEN 1 THEN 'open' ELSE old.state END`

/**
 * Additive: lists of handoffs by type, and of ended ones by sender, receiver or both, are found by one key
 * (`sender receiver type state`), and what has ended is counted where it ends: no list and no count walks
 * through history. Triggers keep both, so that an older program beside does too.
 */
export const sql = `
CREATE TABLE facet (key TEXT NOT NULL, uid TEXT NOT NULL, PRIMARY KEY (key, uid)) STRICT, WITHOUT ROWID;
INSERT INTO facet SELECT ' ' || ${ROW}, uid FROM handoff;
INSERT INTO facet SELECT handoff.from_agent || ' ' || ${ROW}, uid FROM handoff WHERE open = 0;
INSERT INTO facet SELECT ' ' || handoff.to_agent || ${ROW}, uid FROM handoff WHERE open = 0;
INSERT INTO facet SELECT handoff.from_agent || ' ' || handoff.to_agent || ${ROW}, uid FROM handoff WHERE open = 0;
CREATE TABLE ended (
  one INTEGER PRIMARY KEY CHECK (one = 1), completed INTEGER NOT NULL, failed INTEGER NOT NULL, rejected INTEGER NOT NULL, expired INTEGER NOT NULL, cancelled INTEGER NOT NULL,
  done INTEGER NOT NULL
) STRICT;
INSERT INTO ended SELECT 1, count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE state = 'failed'),
  count(*) FILTER (WHERE state = 'rejected'), count(*) FILTER (WHERE state = 'expired'), count(*) FILTER (WHERE state = 'cancelled'),
  (SELECT count(*) FROM task WHERE status = 'done') FROM handoff WHERE open = 0;
CREATE TRIGGER handoff_lists_new AFTER INSERT ON handoff BEGIN
  INSERT OR IGNORE INTO facet SELECT ' ' || ${NEW}, new.uid
    UNION ALL SELECT new.from_agent || ' ' || ${NEW}, new.uid WHERE new.open = 0
    UNION ALL SELECT ' ' || new.to_agent || ${NEW}, new.uid WHERE new.open = 0
    UNION ALL SELECT new.from_agent || ' ' || new.to_agent || ${NEW}, new.uid WHERE new.open = 0;
END;
CREATE TRIGGER handoff_ended_new AFTER INSERT ON handoff WHEN new.open = 0 BEGIN
  UPDATE ended SET completed = completed + (new.state = 'completed'),
    failed = failed + (new.state = 'failed'),
    rejected = rejected + (new.state = 'rejected'),
    expired = expired + (new.state = 'expired'),
    cancelled = cancelled + (new.state = 'cancelled');
END;
CREATE TRIGGER handoff_lists AFTER UPDATE OF state ON handoff
WHEN (old.open = 0 OR new.open = 0) AND old.state <> new.state BEGIN
  DELETE FROM facet WHERE uid = old.uid AND key IN (
    ' ' || ${OLD},
    old.from_agent || ' ' || ${OLD},
    ' ' || old.to_agent || ${OLD},
    old.from_agent || ' ' || old.to_agent || ${OLD});
  INSERT OR IGNORE INTO facet SELECT ' ' || ${NEW}, new.uid
    UNION ALL SELECT new.from_agent || ' ' || ${NEW}, new.uid WHERE new.open = 0
    UNION ALL SELECT ' ' || new.to_agent || ${NEW}, new.uid WHERE new.open = 0
    UNION ALL SELECT new.from_agent || ' ' || new.to_agent || ${NEW}, new.uid WHERE new.open = 0;
  UPDATE ended SET completed = completed + (new.state = 'completed') - (old.state = 'completed'),
    failed = failed + (new.state = 'failed') - (old.state = 'failed'),
    rejected = rejected + (new.state = 'rejected') - (old.state = 'rejected'),
    expired = expired + (new.state = 'expired') - (old.state = 'expired'),
    cancelled = cancelled + (new.state = 'cancelled') - (old.state = 'cancelled');
END;
CREATE TRIGGER task_done_new AFTER INSERT ON task WHEN new.status = 'done' BEGIN
  UPDATE ended SET done = done + 1;
END;
CREATE TRIGGER task_done AFTER UPDATE OF status ON task WHEN (old.status = 'done') <> (new.status = 'done') BEGIN
  UPDATE ended SET done = done + (new.status = 'done') - (old.status = 'done');
END;
DROP INDEX handoff_from;
DROP INDEX handoff_to;
DROP INDEX handoff_ended;
`
