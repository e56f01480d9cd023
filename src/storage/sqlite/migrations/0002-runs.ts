/** Additive: workflow runs, blocks of document 002, messages to the outside. */
export const sql = `
ALTER TABLE handoff ADD COLUMN run TEXT;
CREATE INDEX handoff_run ON handoff (run, uid) WHERE run IS NOT NULL;
CREATE TABLE run (
  uid TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, state TEXT NOT NULL, doc TEXT NOT NULL
) STRICT;
CREATE INDEX run_state ON run (state, uid);
CREATE INDEX run_name ON run (name, uid);
CREATE TABLE block (
  seq INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  from_agent TEXT NOT NULL,
  phase TEXT NOT NULL,
  task TEXT,
  run TEXT,
  doc TEXT NOT NULL
) STRICT;
CREATE INDEX block_agent ON block (from_agent, seq);
CREATE INDEX block_task ON block (task, seq) WHERE task IS NOT NULL;
CREATE INDEX block_run ON block (run, seq) WHERE run IS NOT NULL;
CREATE TABLE delivery (uid TEXT PRIMARY KEY, due_at TEXT, doc TEXT NOT NULL) STRICT;
CREATE INDEX delivery_due ON delivery (due_at) WHERE due_at IS NOT NULL;
`
