import { likeHandoff } from './0004-parties.ts'

/** The owner of the handoffs owns this table too. */
export const ownedLikeHandoff = (table: string): string => `DO $$
DECLARE
  owner text := (SELECT relowner::regrole FROM pg_catalog.pg_class WHERE oid = 'baton.handoff'::regclass);
BEGIN
  EXECUTE format('ALTER TABLE baton.${table} OWNER TO %s', owner);
EXCEPTION WHEN insufficient_privilege THEN
  -- An owner who may make nothing in the schema can have nothing there that is new.
END $$;`

/**
 * Additive: words by which documents are searched, each row as new as the entry `seq`. The index holds them as they were
 * cut. A redaction takes the words away at once; the next search puts those back that are left.
 */
export const sql = `
CREATE TABLE baton.word (
  ws integer NOT NULL,
  uid text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  at text COLLATE "C" NOT NULL,
  words tsvector,
  PRIMARY KEY (ws, uid)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX word_seq ON baton.word (ws, seq) WHERE words IS NOT NULL;
CREATE INDEX word_at ON baton.word (ws, at, seq);
CREATE INDEX word_words ON baton.word USING gin (words) WITH (fastupdate = off);
CREATE FUNCTION baton.forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO baton.word (ws, uid, seq, at) VALUES (new.ws, new.subject, new.id, new.at)
    ON CONFLICT (ws, uid) DO UPDATE SET seq = excluded.seq, at = excluded.at, words = NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER word_redacted AFTER INSERT ON baton.entry FOR EACH ROW
  WHEN (new.act = 'audit.redact') EXECUTE FUNCTION baton.forget_words();
${likeHandoff('word')}
${ownedLikeHandoff('word')}
`
