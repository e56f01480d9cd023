/**
 * Additive: a handoff that has ended has one key more, `@end creation milliseconds state receiver sender retries`, so that reports
 * count what ended when without reading documents. The first parts have one width each.
 */
export const sql = `
LOCK TABLE baton.handoff IN SHARE ROW EXCLUSIVE MODE;
CREATE FUNCTION baton.instant(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN coalesce(to_char(value::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '0001-01-01T00:00:00.000Z');
EXCEPTION WHEN others THEN
  RETURN '0001-01-01T00:00:00.000Z';
END $$;
CREATE OR REPLACE FUNCTION baton.facets(sender text, receiver text, doc text, state text, open integer) RETURNS text[]
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE open WHEN 1 THEN ARRAY['  ' || t || ' open']
    ELSE ARRAY['  ' || t || ' ' || state, sender || '  ' || t || ' ' || state,
      ' ' || receiver || ' ' || t || ' ' || state, sender || ' ' || receiver || ' ' || t || ' ' || state,
      '@' || ended || ' ' || made || ' '
        || lpad(greatest(0, round(extract(epoch FROM ended::timestamptz - made::timestamptz) * 1000))::bigint::text, 13, '0')
        || ' ' || left(state, 2) || ' ' || receiver || ' ' || sender || ' ' || greatest(0, tries - 1)] END
  FROM (SELECT coalesce(d ->> 'type', '') AS t, coalesce(json_array_length(d -> 'attempts'), 0) AS tries,
      baton.instant(coalesce(d ->> 'ended_at', d ->> 'updated_at')) AS ended, baton.instant(d ->> 'created_at') AS made
    FROM (SELECT replace(replace(doc, '\\\\', ''), '\\u', 'u')::json AS d) AS parsed) AS of_type
$$;
INSERT INTO baton.facet (ws, key, uid) SELECT h.ws, k.key, h.uid FROM baton.handoff AS h
  CROSS JOIN LATERAL unnest(baton.facets(h.from_agent, h.to_agent, h.doc, h.state, h.open)) AS k (key)
  WHERE h.open = 0 AND k.key LIKE '@%' ON CONFLICT DO NOTHING;
`
