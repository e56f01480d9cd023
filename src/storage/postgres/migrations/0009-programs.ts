import { likeHandoff } from './0004-parties.ts'
import { ownedLikeHandoff } from './0007-search.ts'

/**
 * Additive: the newest output of programs that run now. It is shown and never copied, so it needs no write-ahead log;
 * a redaction takes it away.
 */
export const sql = `
CREATE UNLOGGED TABLE baton.live (
  ws integer NOT NULL,
  uid text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  at text COLLATE "C" NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (ws, uid, attempt)
);
CREATE OR REPLACE FUNCTION baton.forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO baton.word (ws, uid, seq, at) VALUES (new.ws, new.subject, new.id, new.at)
    ON CONFLICT (ws, uid) DO UPDATE SET seq = excluded.seq, at = excluded.at, words = NULL;
  DELETE FROM baton.live WHERE ws = new.ws AND uid = new.subject;
  RETURN NULL;
END $$;
${likeHandoff('live')}
${ownedLikeHandoff('live')}
`
