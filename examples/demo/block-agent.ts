import { recordDone } from './record.ts'
import type { Stage } from './stage.ts'
import { takeStep } from './steps.ts'

interface Report {
  readonly kind: string
  readonly tests: number
  readonly coverage: number
  readonly seconds: number
  readonly to: string
}

const REPORTS: readonly Report[] = [
  { kind: 'unit', tests: 142, coverage: 91, seconds: 8, to: 'None' },
  { kind: 'integration', tests: 38, coverage: 84, seconds: 46, to: 'None' },
  { kind: 'load', tests: 6, coverage: 71, seconds: 180, to: '@release-manager' },
]

/** Document 002: what the next one must know stands in a block at the end of the report. */
export async function playTestRunner(stage: Stage): Promise<void> {
  const asked = await stage.inbox(({ state, from }) => state === 'offered' && from === 'claude')
  await stage.me.accept(asked.id)
  stage.say(`takes ${asked.id}: ${asked.title}`)
  for (const report of REPORTS) {
    await stage.work(2)
    const path = `reports/${report.kind}.md`
    const text = reportText(report)
    stage.write(path, text)
    await stage.me.call('document_collect', { documents: [{ path, text }] })
    stage.say(`ends ${path} with a block: ${report.tests} tests, coverage ${report.coverage}%`)
  }
  await stage.me.submit(asked.id, {
    evidence: [{ deliverable: 'reports/load.md', evidence: 'reports/load.md' }],
    note: '186 tests, none failed',
  })
  await recordDone(stage, 'RL-6', 'The limits hold under ten thousand calls a second.')
  await takeStep(stage, 'watch', '0.4% of the calls were refused, as planned')
}

function reportText({ kind, tests, coverage, seconds, to }: Report): string {
  return `# ${kind} tests

All ${tests} of them passed.

\`\`\`yaml
handoff:
  phase: "Testing"
  from: "@test-runner"
  to: "${to}"
  status: "complete"
  retry_count: 0
  timestamp: "${new Date().toISOString()}"
  context:${to === 'None' ? '\n    task_id: "RL-6"' : ''}
    workflow_id: "rate-limiting"
    summary: "The ${kind} tests passed; the reports are in reports/"
  metrics:
    tests_total: ${tests}
    tests_passed: ${tests}
    tests_failed: 0
    coverage: "${coverage}%"
    execution_time: "${seconds}s"
  dependencies: []
\`\`\`
`
}
