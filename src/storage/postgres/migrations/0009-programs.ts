import { likeHandoff } from './0004-parties.ts'
import { ownedLikeHandoff } from './0007-search.ts'

/**
 * Additive: the newest output of programs that run now. It is shown and never copied, so it needs no write-ahead log;
 * a redaction takes it away. An attempt whose program reported cost has a key for reports:
 * `$uid [agent, task, run, start, usage, place]`.
 */
export const sql = `
CREATE UNLOGGED TABLE baton.live (
  ws integer NOT NULL, uid text COLLATE "C" NOT NULL, attempt integer NOT NULL, at text COLLATE "C" NOT NULL, text text NOT NULL,
  PRIMARY KEY (ws, uid, attempt)
);
CREATE OR REPLACE FUNCTION baton.forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO baton.word (ws, uid, seq, at) VALUES (new.ws, new.subject, new.id, new.at)
    ON CONFLICT (ws, uid) DO UPDATE SET seq = excluded.seq, at = excluded.at, words = NULL;
  DELETE FROM baton.live WHERE ws = new.ws AND uid = new.subject;
  RETURN NULL;
END $$;
CREATE FUNCTION baton.used(uid text, doc text, run text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT '$' || uid || ' ' || json_build_array(a.it ->> 'holder', d ->> 'task', run, a.it ->> 'started_at', a.it -> 'usage', a.place)
  FROM (SELECT replace(replace(doc, '\\\\', ''), '\\u', 'u')::json AS d) AS parsed
  CROSS JOIN LATERAL json_array_elements(d -> 'attempts') WITH ORDINALITY AS a (it, place) WHERE a.it -> 'usage' IS NOT NULL
$$;
INSERT INTO baton.facet (ws, key, uid) SELECT h.ws, k.key, h.uid FROM baton.handoff AS h
  CROSS JOIN LATERAL baton.used(h.uid, h.doc, h.run) AS k (key) WHERE h.doc LIKE '%"usage":{%' ON CONFLICT DO NOTHING;
CREATE FUNCTION baton.keep_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM baton.facet WHERE ws = new.ws AND key > '$' || new.subject AND key < '$' || new.subject || '!';
  INSERT INTO baton.facet (ws, key, uid) SELECT h.ws, k.key, h.uid FROM baton.handoff AS h
    CROSS JOIN LATERAL baton.used(h.uid, h.doc, h.run) AS k (key) WHERE h.ws = new.ws AND h.uid = new.subject ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_kept AFTER INSERT ON baton.entry FOR EACH ROW
  WHEN (new.act = 'handoff.usage') EXECUTE FUNCTION baton.keep_usage();
${likeHandoff('live')}
${ownedLikeHandoff('live')}
`
