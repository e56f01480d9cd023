import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Parser } from 'yaml'
import type { FolderKind } from '../../src/folders/folder.ts'
import { markdownFolder } from '../../src/folders/markdown/kind.ts'
import { packageFolder } from '../../src/folders/package/kind.ts'
import { queueFolder } from '../../src/folders/queue/kind.ts'
import { syncFolders } from '../../src/folders/sync.ts'
import { folders } from '../support/documents/folders.ts'
import { openWorkspace } from '../support/program/workspace.ts'
import { foreign } from './foreign.ts'

/** Stands in the document alone: in its file, its kept source and in every text that is made from them. */
const SIGN = 'only-the-document-says-this'

interface Case {
  readonly kind: FolderKind
  readonly file: string
  readonly text: string
  /** The file after its receiver took the work. */
  readonly accepted: { readonly file: string; text(text: string): string }
}

const CASES: readonly Case[] = [
  {
    kind: markdownFolder,
    file: 'active/handoff-grok-claude-BPRD-2026-0042-20260221.md',
    text: foreign({ more: `note: ${SIGN}\n` }).text,
    accepted: {
      file: 'active/handoff-grok-claude-BPRD-2026-0042-20260221.md',
      text: (text) =>
        text
          .replace('status: Active', 'status: Acknowledged')
          .replace('acknowledged_by: null', 'acknowledged_by: claude'),
    },
  },
  {
    kind: queueFolder,
    file: 'handoffs/pending/hnd-react-1.json',
    text: JSON.stringify(
      {
        handoff_id: 'hnd-react-1',
        timestamp: '2026-01-13T10:00:00.123456Z',
        status: 'pending',
        source: { agent_id: '@frontend-specialist', phase: 11, agent_type: 'orchestrator' },
        target: { agent_id: '@react-specialist', phase: 13, agent_type: 'specialist' },
        note: SIGN,
        context: { project_id: 'proj-001' },
        input: {
          schema: 'react-specialist.input.schema.json',
          data: { component_requirements: [{ name: 'TestComponent', type: 'functional', props: {} }] },
        },
        timeout_seconds: 300,
      },
      undefined,
      2,
    ),
    accepted: {
      file: 'handoffs/in-progress/hnd-react-1.json',
      text: (text) =>
        text.replace(
          '"status": "pending"',
          '"status": "in_progress",\n  "started_at": "2026-02-21T14:30:01Z"',
        ),
    },
  },
  {
    kind: packageFolder,
    file: '.project/07-audit/sessions/s-1/handoffs/HO-001.yaml',
    text: `handoff:
  from: {agent: architecture, step: 3}
  to: {agent: security-check, reason: "Need security validation before finalization"}
  note: ${SIGN}
  expectations:
    deliverable: "Risk report on proposed architecture"
    success_criteria: ["No unaddressed critical risks"]
  context:
    summary: "API architecture defined, needs security review"
`,
    accepted: {
      file: '.project/07-audit/sessions/s-1/handoffs/HO-001.yaml',
      text: (text) => `${text.trimEnd()}
acknowledgment:
  received: true
  by: security-check
  understood:
    task: "Check the architecture for risks"
  questions: []
  starting: true
`,
    },
  },
]

/** The texts with the sign that are parsed while `work` runs. */
async function parsedIn(t: TestContext, work: () => Promise<unknown>): Promise<readonly string[]> {
  const texts: string[] = []
  const note = (text: unknown): void => {
    if (typeof text === 'string' && text.includes(SIGN)) texts.push(text)
  }
  const [yaml, json] = [Parser.prototype.parse, JSON.parse]
  const mocks = [
    t.mock.method(Parser.prototype, 'parse', function (this: Parser, ...args: Parameters<typeof yaml>) {
      note(args[0])
      return yaml.apply(this, args)
    }),
    t.mock.method(JSON, 'parse', (...args: Parameters<typeof json>) => {
      note(args[0])
      return json(...args)
    }),
  ]
  await work()
  for (const { mock } of mocks) mock.restore()
  return texts
}

describe('texts on their way through a folder pass', () => {
  for (const { kind, file, text, accepted } of CASES)
    it(`parses a new ${kind.dialect} file at most twice and a changed one at most four times`, async (t) => {
      const root = folders(t).folder('project')
      const { service, store } = await openWorkspace(t, { home: kind.dialect })
      const live = { kind, path: 'live', accept: [] }
      const options = { root, dir: join(root, '.baton'), folders: [live], service, host: 'test' }
      const at = (path: string): string => join(root, 'live', path)
      mkdirSync(options.dir)
      await syncFolders(options)

      mkdirSync(dirname(at(file)), { recursive: true })
      writeFileSync(at(file), text)
      const first = await parsedIn(t, () => syncFolders(options))
      const [sent] = (await store.handoffs({}, { limit: 2 })).items
      assert.equal(sent?.state, 'offered')
      assert.ok(first.length > 0 && first.length <= 2, `a new file was parsed ${first.length} times`)

      const before = readFileSync(at(file), 'utf8')
      renameSync(at(file), at(accepted.file))
      writeFileSync(at(accepted.file), accepted.text(before))
      const second = await parsedIn(t, () => syncFolders(options))
      assert.match((await store.handoff(sent.uid))?.state ?? '', /^(?:accepted|in_progress)$/)
      assert.ok(second.length > 0 && second.length <= 4, `a changed file was parsed ${second.length} times`)
    })
})
