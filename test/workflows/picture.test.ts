import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { layoutOf } from '../../src/pictures/workflow-layout.ts'
import { pictureOf, toMermaid } from '../../src/pictures/workflow-picture.ts'
import { toSvg } from '../../src/pictures/workflow-svg.ts'
import { anyWorkflow } from '../model/reference.ts'

const SIZE = { width: 200, height: 60 }

/** What an XML reader of somebody else makes of it: the texts, or why it cannot be read. */
function readXml(svg: string): readonly string[] {
  const program =
    'import sys, json, xml.etree.ElementTree as e\nprint(json.dumps([t.text for t in e.fromstring(sys.stdin.read()).iter() if t.tag.endswith("text")]))'
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: svg, encoding: 'utf8' })
  assert.equal(stderr, '')
  return JSON.parse(stdout)
}

describe('the picture of any workflow', () => {
  it('shows every step and gate once, none over another, each below what it needs', () => {
    fc.assert(
      fc.property(anyWorkflow, (workflow) => {
        const picture = pictureOf(workflow)
        const { nodes, edges, width, height } = layoutOf(picture, SIZE)
        const all = [...nodes.values()]

        assert.equal(nodes.size, picture.nodes.length)
        for (const [i, a] of all.entries()) {
          assert.ok(a.x - SIZE.width / 2 >= 0 && a.x + SIZE.width / 2 <= width + 1e-6)
          assert.ok(a.y - SIZE.height / 2 >= 0 && a.y + SIZE.height / 2 <= height + 1e-6)
          for (const b of all.slice(i + 1))
            assert.ok(
              Math.abs(a.x - b.x) >= SIZE.width || Math.abs(a.y - b.y) >= SIZE.height,
              `node ${i + 1} and another stand in one place`,
            )
        }
        for (const { from, to, points } of edges) {
          assert.ok(nodes.get(from)!.y < nodes.get(to)!.y)
          for (const [x, y] of points.slice(1, -1))
            assert.ok(
              !all.some((n) => Math.abs(n.x - x) < SIZE.width / 2 && Math.abs(n.y - y) < SIZE.height / 2),
              `${from} to ${to}`,
            )
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is well-formed XML whatever the texts are', () => {
    const title = 'a "quoted" <script>alert(1)</script> & \u0000\u001b[31m]]> ﷽ 🚀'
    const svg = toSvg(
      pictureOf({
        name: 'odd',
        steps: [
          {
            id: 'a',
            title,
            agent: 'codex',
            needs: [],
            gate: { type: 'blocking', name: title, items: [], to: 'human' },
          },
        ],
      }),
    )

    assert.ok(readXml(svg).some((text) => text.startsWith('1. a "quoted"')))
    assert.doesNotMatch(svg, /<script/)
  })

  it('is Mermaid text that no title can break out of', () => {
    const text = toMermaid(
      pictureOf({
        name: 'odd',
        steps: [{ id: 'a', title: 'x"]; click n1 "javascript:alert(1)"\n<b>', agent: 'codex', needs: [] }],
      }),
    )

    assert.deepEqual(text.split('\n').slice(3), [
      'flowchart TB',
      '  n1["1. x#34;]; click n1 #34;javascript:alert(1)#34;#10;#60;b#62;<br/>codex"]',
      '',
    ])
  })
})
