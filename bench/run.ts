// `npm run bench` asks every question; `npm run bench -- sqlite scale` asks some; `load --short` is a small form. Ratios are measured side by
// side in one run. Writes the table to docs/generated/bench.md when all questions were asked with --write.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Finding, holds } from './support/measure.ts'

const QUESTIONS: Readonly<Record<string, () => Promise<readonly Finding[]>>> = {
  sqlite: async () => (await import('./sqlite.ts')).sqlite(),
  binding: async () => (await import('./binding.ts')).binding(),
  log: async () => (await import('./log.ts')).log(),
  fairness: async () => (await import('./fairness.ts')).fairness(),
  postgres: async () => (await import('./postgres.ts')).postgres(),
  worker: async () => (await import('./worker.ts')).worker(),
  wake: async () => (await import('./wake.ts')).wake(),
  start: async () => (await import('./support/start.ts')).start(),
  scale: async () => (await import('./scale.ts')).scale(),
  lists: async () => (await import('./lists.ts')).lists(),
  search: async () => (await import('./support/search.ts')).search(),
  'catch-up': async () => (await import('./support/catch-up.ts')).catchUp(),
  load: async () => (await import('./load.ts')).load(),
  cli: async () => (await import('./cli.ts')).cli(),
  mcp: async () => (await import('./mcp.ts')).mcp(),
  http: async () => (await import('./http.ts')).http(),
  loop: async () => (await import('./loop.ts')).loop(),
  dashboard: async () => (await import('./dashboard.ts')).dashboard(),
  verify: async () => (await import('./verify.ts')).verify(),
  folders: async () => (await import('./folders.ts')).folders(),
  intake: async () => (await import('./intake.ts')).intake(),
  dialects: async () => (await import('./dialects.ts')).dialects(),
}

const args = process.argv.slice(2)
const asked = args.filter((arg) => !arg.startsWith('--'))
const unknown = asked.filter((name) => !Object.hasOwn(QUESTIONS, name))
if (unknown.length > 0) {
  console.error(`unknown question ${unknown.join(', ')}; there are ${Object.keys(QUESTIONS).join(', ')}`)
  process.exit(2)
}

const findings: Finding[] = []
for (const [name, ask] of Object.entries(QUESTIONS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.error(`… ${name}`)
  for (const finding of await ask()) {
    findings.push(finding)
    console.log(line(finding))
  }
}
if (args.includes('--write'))
  writeFileSync(join(import.meta.dirname, '../docs/generated/bench.md'), page(findings))
process.exitCode = findings.every(holds) ? 0 : 1

function line(finding: Finding): string {
  const mark = finding.bound ? (holds(finding) ? '✓' : '✗') : ' '
  const bound = finding.bound ? ` (${finding.bound.sign} ${finding.bound.value})` : ''
  return `${mark} ${finding.question}: ${finding.ratio.toFixed(2)}${bound}  ${finding.detail}`
}

function page(all: readonly Finding[]): string {
  const rows = all.map((f) => {
    const bound = f.bound ? `${f.bound.sign} ${f.bound.value}` : ''
    return `| ${f.question} | ${f.ratio.toFixed(2)} | ${bound} | ${f.detail} |`
  })
  return [
    '# Measured',
    '',
    `Made by \`npm run bench -- --write\` on ${cpus().length} cores, Node ${process.versions.node}. Ratios compare two sides of the same run;`,
    'the figures beside them hold for that machine and that hour only.',
    '',
    '| question | ratio | bound | figures |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
