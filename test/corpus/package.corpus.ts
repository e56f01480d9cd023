import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pack } from '../../src/dialects/package/index.ts'
import { sourcesOf } from '../../src/dialects/text/sources.ts'
import { sharedFile, sharedFiles } from './files.ts'

const AGENCY = 'data/corpus/truchot+claude-skills-test'
const BLOCKS = sharedFile(`${AGENCY}/agent-handoff-blocks.ba004d2.yaml`)

/** Line, receiver, type, gate and the words that the summary begins with, read by hand. None says who sends it. */
// biome-ignore format: read as a table
const EXPECTED: readonly (readonly [number, string, string, string | undefined, string])[] = [
  [2,   'testing',            'delegation', undefined,  'Service {name}'],
  [13,  'backend',            'delegation', undefined,  'Schema {entities}'],
  [27,  'testing',            'delegation', undefined,  'Composant {name}'],
  [40,  'backend',            'delegation', undefined,  'Intégration {service}'],
  [54,  'router',             'delegation', undefined,  'Demande qualifiée'],
  [65,  'router',             'delegation', undefined,  'Demande parsée'],
  [74,  'orchestrator',       'delegation', undefined,  '{normalized_request}'],
  [84,  'human',              'escalation', undefined,  'Demande ambiguë'],
  [94,  'human',              'escalation', undefined,  'Analyse {target}'],
  [108, 'human',              'escalation', undefined,  'Contenu {type}'],
  [124, 'human',              'escalation', undefined,  'Growth plan'],
  [140, 'human',              'gate',       'blocking', 'Audit SEO'],
  [154, 'content-strategist', 'delegation', undefined,  'Issues content'],
  [168, 'human',              'escalation', undefined,  'CI/CD configuré'],
  [182, 'human',              'gate',       'blocking', 'Deploy {version}'],
  [198, 'human',              'gate',       'blocking', 'Incident {id}'],
  [215, 'human',              'escalation', undefined,  'Monitoring configuré'],
  [229, 'human',              'gate',       'advisory', 'Communication {type}'],
  [245, 'human',              'gate',       'blocking', 'Livraison {deliverable}'],
  [262, 'human',              'gate',       'blocking', 'Planning {type}'],
  [280, 'human',              'escalation', undefined,  'Tracking {project}'],
  [296, 'human',              'gate',       'advisory', 'Review {file}'],
  [311, 'frontend',           'delegation', undefined,  'Audit perf'],
  [324, 'human',              'gate',       'blocking', 'Audit sécurité'],
  [340, 'code-review',        'delegation', undefined,  'Tests {target}'],
  [354, 'human',              'gate',       'blocking', 'Architecture proposée'],
  [368, 'backend',            'delegation', undefined,  'Architecture {feature}'],
  [385, 'human',              'gate',       'blocking', 'Décision {title}'],
  [398, 'human',              'gate',       'blocking', 'Estimation feature'],
  [412, 'architect',          'gate',       'blocking', 'Specs feature'],
  [426, 'human',              'gate',       'advisory', 'Breakdown {feature}'],
  [437, 'human',              'escalation', undefined,  'Adoption initiée'],
  [451, 'human',              'escalation', undefined,  'Documentation {action}'],
  [466, 'human',              'escalation', undefined,  'Maintenance {type}'],
]

describe('packages in real projects', () => {
  it('reads receiver, type, gate and summary of short French packages', () => {
    const found = sourcesOf(BLOCKS, { path: 'blocks.yaml' }).map((source) => {
      assert.equal(pack.formOf(source), 'package')
      const { draft, diagnostics } = pack.interpret(source, 'package')
      assert.deepEqual(
        diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
        ['missing_from'],
      )
      return [
        source.position(source.start).line,
        draft?.to,
        draft?.type,
        draft?.gate?.type,
        draft?.package?.summary,
      ]
    })
    const begun = found.map(([line, to, type, gate, summary], i) => {
      const begin = EXPECTED[i]?.[4] ?? ''
      return [line, to, type, gate, String(summary).slice(0, begin.length)]
    })
    assert.deepEqual(begun, EXPECTED)
  })

  it('knows state files by their place and session pages by their heading', () => {
    const forms = sharedFiles(AGENCY).map((file) => {
      const [source] = sourcesOf(sharedFile(file), { path: file })
      return [file.slice(AGENCY.length + 1), pack.formOf(source!)]
    })
    assert.deepEqual(Object.fromEntries(forms), {
      '.web-agency/memory/short-term/current.json': 'state',
      '.web-agency/state/current.json': 'state',
      '.web-agency/state/schema-v2.json': undefined,
      '.web-agency/state/schema.json': undefined,
      '.web-agency/templates/project/07-audit/sessions/SESSION-TEMPLATE.md': 'session',
      '.web-agency/templates/project/state.json': undefined,
      'agent-handoff-blocks.ba004d2.yaml': 'package',
    })
  })

  it('leaves front matter with from_agent below handoff to the blocks', () => {
    const files = sharedFiles('data/corpus/jysf+irradiance')
    assert.ok(files.length > 0)
    for (const file of files) {
      const claimed = sourcesOf(sharedFile(file), { path: file }).filter((source) => pack.formOf(source))
      assert.deepEqual(claimed, [], file)
    }
  })
})
