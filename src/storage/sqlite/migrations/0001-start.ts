/** Additive: an older program has no schema before this one. */
export const sql = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE agent (name TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE task (
  uid TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  owner TEXT,
  rank INTEGER NOT NULL,
  critical INTEGER NOT NULL,
  level INTEGER NOT NULL,
  sort_key TEXT NOT NULL,
  open_deps INTEGER NOT NULL,
  height INTEGER NOT NULL DEFAULT 1,
  doc TEXT NOT NULL
) STRICT;
CREATE INDEX task_next ON task (critical DESC, level, rank, sort_key)
  WHERE open_deps = 0 AND status IN ('todo', 'assigned');
CREATE INDEX task_chain ON task (height DESC, sort_key) WHERE open_deps = 0 AND height > 1 AND status <> 'done';
CREATE INDEX task_flagged ON task (uid) WHERE critical = 1 AND status <> 'done';
CREATE INDEX task_order ON task (sort_key, uid);
CREATE INDEX task_status ON task (status, sort_key, uid);
CREATE TABLE task_dep (
  task TEXT NOT NULL, depends_on TEXT NOT NULL, PRIMARY KEY (task, depends_on)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_dep_back ON task_dep (depends_on);

CREATE TABLE handoff (
  uid TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,
  parent TEXT,
  from_agent TEXT NOT NULL,
  to_agent TEXT NOT NULL,
  task TEXT,
  state TEXT NOT NULL,
  open INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  waiting_for TEXT,
  holder TEXT,
  due_at TEXT,
  due_kind TEXT,
  doc TEXT NOT NULL
) STRICT;
CREATE INDEX handoff_inbox ON handoff (waiting_for, rank, uid) WHERE waiting_for IS NOT NULL;
CREATE INDEX handoff_claim ON handoff (to_agent, rank, uid) WHERE state = 'offered';
CREATE INDEX handoff_due ON handoff (due_at, uid) WHERE due_at IS NOT NULL;
CREATE INDEX handoff_open_from ON handoff (from_agent) WHERE open = 1;
CREATE INDEX handoff_open_to ON handoff (to_agent) WHERE open = 1;
CREATE INDEX handoff_state ON handoff (state, uid) WHERE open = 1;
CREATE INDEX handoff_from ON handoff (from_agent, uid);
CREATE INDEX handoff_to ON handoff (to_agent, uid);
CREATE INDEX handoff_task ON handoff (task, uid) WHERE task IS NOT NULL;
CREATE INDEX handoff_parent ON handoff (parent, uid) WHERE parent IS NOT NULL;
CREATE TABLE content (uid TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT;

CREATE TABLE stream (
  uid TEXT PRIMARY KEY, seq INTEGER NOT NULL, head TEXT NOT NULL, progress_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  subject TEXT NOT NULL,
  act TEXT NOT NULL,
  at TEXT NOT NULL,
  hash TEXT NOT NULL,
  body BLOB NOT NULL,
  disclosures TEXT
) STRICT;
CREATE UNIQUE INDEX entry_stream ON entry (stream, seq);

CREATE TABLE notice (
  uid TEXT PRIMARY KEY, to_agent TEXT NOT NULL, about TEXT NOT NULL, seen_at TEXT, doc TEXT NOT NULL
) STRICT;
CREATE INDEX notice_unread ON notice (to_agent, uid) WHERE seen_at IS NULL;
CREATE INDEX notice_seen ON notice (seen_at) WHERE seen_at IS NOT NULL;

CREATE TABLE idem (
  actor TEXT NOT NULL, op TEXT NOT NULL, key TEXT NOT NULL,
  input_hash TEXT NOT NULL, subject TEXT NOT NULL, rev INTEGER NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (actor, op, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idem_at ON idem (at);

CREATE TABLE record (
  seq INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, task TEXT NOT NULL, doc TEXT NOT NULL
) STRICT;
CREATE INDEX record_task ON record (task, seq);

CREATE TABLE artifact (uid TEXT PRIMARY KEY, handoff TEXT, doc TEXT NOT NULL) STRICT;
CREATE INDEX artifact_handoff ON artifact (handoff, uid) WHERE handoff IS NOT NULL;
CREATE TABLE blob (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
CREATE TABLE token (hash TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE audit_session (
  uid TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, by_agent TEXT NOT NULL, state TEXT NOT NULL, doc TEXT NOT NULL
) STRICT;
CREATE INDEX audit_session_by ON audit_session (by_agent, uid);
CREATE TABLE tree (
  one INTEGER PRIMARY KEY CHECK (one = 1), size INTEGER NOT NULL, last INTEGER NOT NULL, edge TEXT NOT NULL
) STRICT;
CREATE TABLE tile (
  level INTEGER NOT NULL, n INTEGER NOT NULL, first INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (level, n)
) STRICT;
CREATE INDEX tile_first ON tile (first) WHERE first IS NOT NULL;
CREATE TABLE checkpoint (size INTEGER PRIMARY KEY, at TEXT NOT NULL, note TEXT NOT NULL) STRICT;
`
