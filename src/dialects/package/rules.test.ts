import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import type { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { insideProject, type Kinds } from './artifacts.ts'
import { artifactsAgainstGit, checkSending, pack, pathOfField } from './index.ts'
import { checkReceiving } from './receiver-checks.ts'

const aDraft = (travels: Package, rest: Draft = {}): Draft => ({
  from: 'payments',
  to: 'storefront',
  type: 'sequential',
  ...rest,
  package: { summary: 'The payment API accepts cards and vouchers', ...travels },
})
const said = (draft: Draft, kinds?: Kinds) =>
  checkSending(draft, kinds).map(({ severity, code, field }) => `${severity} ${code} ${field}`)

describe('rules for whoever sends a package', () => {
  it('[S4-29] refuses a summary that says nothing, and one that is not there', () => {
    for (const summary of ["It's done", 'It’s done.', 'DONE', 'see above', 'all finished now', 'ok']) {
      assert.deepEqual(said(aDraft({ summary })), ['error vacuous_summary package.summary'], summary)
    }
    assert.deepEqual(said({ from: 'a', to: 'b', type: 'sequential' }), [
      'error missing_summary package.summary',
    ])
    const [finding] = checkSending(aDraft({ summary: "It's done" }))
    assert.match(finding!.message, /"It's done" tells the receiver nothing; say what was done/)
  })

  it('[S4-30] [S4-31] passes the summaries that the document itself uses', () => {
    const required = 'Specifications completed: 3 epics, 12 user stories, personas defined'
    const summaries = sourcesOf(samplesOf('package'))
      .filter((source) => pack.formOf(source) === 'package')
      .flatMap((source) => pack.interpret(source, 'package').draft?.package?.summary ?? [])
      .filter((summary) => !summary.startsWith('['))
    assert.equal(summaries.length, 4)
    for (const summary of [required, ...summaries]) assert.deepEqual(said(aDraft({ summary })), [], summary)
  })

  it('[S4-32] wants artifacts that lead to something inside the project', () => {
    const artifacts = [
      'src/a.ts',
      'docs/',
      '/etc/passwd',
      '../other/b.ts',
      'src/../../b.ts',
      'C:\\b.ts',
      'https://x.test/b',
    ]
    const outside = said(aDraft({ artifacts: artifacts.map((path) => ({ path })) }))
    assert.deepEqual(
      outside,
      [2, 3, 4, 5, 6].map((i) => `error artifact_outside package.artifacts.${i}.path`),
    )
    const kinds: Kinds = new Map([
      ['src/a.ts', 'file'],
      ['docs', 'missing'],
    ])
    assert.deepEqual(said(aDraft({ artifacts: [{ path: 'src/a.ts' }, { path: 'docs' }] }), kinds), [
      'error artifact_not_found package.artifacts.1.path',
    ])
  })

  it('[S4-33] names every changed file that the artifacts do not list', () => {
    const draft = aDraft({ artifacts: [{ path: './src/a.ts' }, { path: 'src\\b.ts' }] })
    assert.deepEqual(artifactsAgainstGit(draft, ['src/a.ts', './src/b.ts']), [])
    const [finding, ...others] = artifactsAgainstGit(draft, ['src/a.ts', 'src/c.ts'])
    assert.deepEqual(others, [])
    assert.deepEqual([finding!.severity, finding!.code], ['warning', 'artifact_unlisted'])
    assert.match(finding!.message, /add "- path: src\/c\.ts" to context\.artifacts/)
    assert.equal(artifactsAgainstGit({}, ['a', 'b']).length, 2)
  })

  it('[S4-34] lets a folder stand for the files below it, with a warning', () => {
    const draft = aDraft({ artifacts: [{ path: 'docs/' }, { path: 'src' }] })
    const codes = (kinds?: Kinds) =>
      artifactsAgainstGit(draft, ['docs/x/y.md', 'docs2/z.md', 'src/a.ts'], kinds).map(({ code }) => code)
    assert.deepEqual(codes(), ['artifact_listed_by_folder', 'artifact_unlisted', 'artifact_unlisted'])
    assert.deepEqual(codes(new Map([['src', 'directory']])), [
      'artifact_listed_by_folder',
      'artifact_unlisted',
      'artifact_listed_by_folder',
    ])
    assert.deepEqual(said(draft), [])
  })

  it('[S4-35] asks for nothing where no matter is left open', () => {
    const decisions = [{ id: 'D-1', decision: 'Use JWT' }]
    assert.deepEqual(said(aDraft({ decisions })), [])
    const pending = [...decisions, { id: 'Pending', decision: 'A or B' }]
    assert.deepEqual(said(aDraft({ decisions: pending })), [
      'warning pending_without_question package.decisions.1',
    ])
  })

  it('[S4-37] flags criteria and constraints that nobody can measure', () => {
    const draft = aDraft({
      criteria: ['Write good code', 'Build passes in CI'],
      constraints: ['Do it quickly'],
    })
    assert.deepEqual(said(draft), [
      'warning not_measurable package.criteria.0',
      'warning not_measurable package.constraints.0',
    ])
    const [criterion, constraint] = checkSending(draft)
    assert.match(criterion!.message, /"Write good code" is not measurable \("good"\); name a number/)
    assert.match(constraint!.message, /^Constraint 'quickly' not measurable; name a number/)
  })

  it('[S4-38] [S4-39] passes the criteria that the document calls good', () => {
    const criteria = [
      'Unit tests > 80% coverage',
      'No OWASP Top 10 vulnerabilities',
      'Build passes in CI',
      'No unaddressed critical risks',
    ]
    const constraints = ['Focus on authentication and sensitive data']
    assert.deepEqual(said(aDraft({ criteria, constraints })), [])
  })

  it('refuses what is still a template, and hints at blanks inside a text', () => {
    const draft = aDraft(
      {
        summary: 'Service {name} was built and tested',
        artifacts: [{ path: '...' }],
        deliverables: ['{what}'],
      },
      { to_reason: '[why this agent]' },
    )
    assert.deepEqual(said(draft), [
      'error placeholder to_reason',
      'warning placeholder_inside package.summary',
      'error placeholder package.deliverables.0',
      'error placeholder package.artifacts.0.path',
    ])
  })

  it('[S4-06] [S4-07] refuses a package without its ends', () => {
    assert.deepEqual(
      said({ to: null, type: 'sequential', package: { summary: 'The API accepts cards now' } }),
      ['error missing_from from', 'error missing_to to'],
    )
  })

  it('knows where in a package the field of a finding stands', () => {
    assert.deepEqual(pathOfField('package.criteria.1'), ['handoff', 'expectations', 'success_criteria', 1])
    assert.deepEqual(pathOfField('package.artifacts.0.path'), ['handoff', 'context', 'artifacts', 0, 'path'])
    assert.deepEqual(pathOfField('package.deliverables.0'), ['handoff', 'expectations', 'deliverable'])
    assert.deepEqual(pathOfField('from'), ['handoff', 'from', 'agent'])
  })

  it('takes paths apart without leaving the project', () => {
    assert.equal(insideProject('./a//b/../c/'), 'a/c')
    assert.equal(insideProject('a/../../b'), undefined)
    assert.equal(insideProject('~/b'), undefined)
    assert.equal(insideProject('.project/x.md'), '.project/x.md')
  })
})

const NAMES = [
  'summary present and understandable',
  'all artifacts exist',
  'expectations.deliverable clear',
  'constraints compatible with my capabilities',
]

describe('checks for whoever receives a package', () => {
  it('[S4-45] answers each of the four checks by itself', () => {
    const { checks, blockers } = checkReceiving(aDraft({ deliverables: ['Pages'] }), {
      kinds: new Map(),
      incompatible: [],
    })
    assert.deepEqual(
      checks,
      NAMES.map((name) => ({ name, ok: true })),
    )
    assert.deepEqual(blockers, [])
  })

  it('[S4-41] wants a summary that can be understood', () => {
    const summary = (draft: Draft) => checkReceiving(draft).checks[0]
    assert.deepEqual(summary({}), { name: NAMES[0], ok: false, detail: 'Summary missing' })
    assert.equal(summary(aDraft({ summary: 'done' }))?.detail, "Summary 'done' not understandable")
    assert.equal(summary(aDraft({ summary: '[what was done]' }))?.ok, false)
  })

  it('[S4-42] [S4-49] looks for every artifact, in the words of the document', () => {
    const draft = aDraft({ artifacts: [{ path: 'a.md' }, { path: 'docs/' }, { path: '/etc/hosts' }] })
    const kinds: Kinds = new Map([
      ['a.md', 'missing'],
      ['docs/', 'directory'],
      ['/etc/hosts', 'file'],
    ])
    assert.deepEqual(checkReceiving(draft, { kinds }).blockers, [
      'Artifact a.md not found',
      'Artifact /etc/hosts outside the project',
    ])
    const unseen = checkReceiving(aDraft({ artifacts: [{ path: 'a.md' }] })).checks[1]
    assert.deepEqual(unseen, { name: NAMES[1], detail: 'not evaluated' })
  })

  it('[S4-43] wants a deliverable where the work depends on it, and hints at it elsewhere', () => {
    for (const type of ['delegation', 'escalation'] as const)
      assert.deepEqual(checkReceiving(aDraft({}, { type })).blockers, ['Deliverable missing'])
    for (const type of ['sequential', 'return'] as const) {
      const { blockers, checks } = checkReceiving(aDraft({}, { type }))
      assert.deepEqual([blockers, checks[2]?.detail], [[], 'Deliverable missing'])
    }
    const gate = aDraft({ validation_request: { items: ['The texts'] } }, { type: 'gate', to: 'human' })
    assert.deepEqual(checkReceiving(gate).blockers, [])
    assert.deepEqual(checkReceiving(aDraft({ deliverables: ['[what]'] })).blockers, [
      "Deliverable '[what]' not clear",
    ])
  })

  it('[S4-44] [S4-50] weighs the constraints against what the receiver can do', () => {
    const draft = aDraft({ constraints: ['Ship it quickly', 'Only Rust'] })
    const incompatible = [{ constraint: 'Only Rust', reason: 'no compiler here' }]
    assert.deepEqual(checkReceiving(draft, { incompatible }).blockers, [
      "Constraint 'quickly' not measurable",
      "Constraint 'Only Rust' not possible: no compiler here",
    ])
    const unknown = checkReceiving(aDraft({ constraints: ['Only Rust'] })).checks[3]
    assert.deepEqual(unknown, { name: NAMES[3], detail: 'not evaluated' })
  })
})
