/** Statements for the owner of the schema: this role uses the store and cannot change or remove what the log says. */
export function grants(role: string): string {
  const to = `"${role.replaceAll('"', '""')}"`
  return [
    `GRANT USAGE ON SCHEMA baton TO ${to};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA baton TO ${to};`,
    `GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA baton TO ${to};`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA baton TO ${to};`,
    `REVOKE UPDATE, DELETE ON baton.entry, baton.migration FROM ${to};`,
    `GRANT UPDATE (disclosures) ON baton.entry TO ${to};`,
  ].join('\n')
}
