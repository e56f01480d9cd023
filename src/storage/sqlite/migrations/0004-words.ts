/**
 * Additive: to look for a changed title at every change of a handoff cost more than the change. Whoever changes one
 * writes its words too. What an older program beside erases is erased here as well; a handoff whose title it changes
 * is found by the old words only.
 */
export const sql = `
DROP TRIGGER handoff_words_changed;
CREATE TRIGGER handoff_words_erased AFTER UPDATE OF doc ON handoff WHEN instr(new.doc, '[redacted]') > 0 BEGIN
  UPDATE handoff_words SET title = coalesce(json_extract(new.doc, '$.title'), '') WHERE uid = new.uid;
END;
`
