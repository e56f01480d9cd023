import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDocuments } from './index.ts'

/** Reading twice as much may cost this many times as much; looked at over three doublings, where noise is small. */
const TWICE = 2.5
const DOUBLINGS = 3
const MOST = TWICE ** DOUBLINGS
/** Below this a measurement says more about the machine than about us. */
const FLOOR_MS = 3
const SMALL = 16 * 1024

/** Texts that grow: what they begin with, what is repeated, what they end with. */
// biome-ignore format: read as a table
const GROWTHS: Readonly<Record<string, readonly [path: string, head: string, piece: string, tail: string]>> = {
  'a long body':            ['a.md', '---\nhandoff_id: handoff-a-b\nfrom_agent: a\n---\n', 'A line of text with **words**.\n', ''],
  'many labelled lines':    ['a.md', '# Title\n', '**Status**: open\n', ''],
  'many headings':          ['a.md', '---\nhandoff_id: x\nfrom_agent: a\n---\n', '## Part\n\n- [ ] item\n', ''],
  'many table rows':        ['a.md', '# Title\n', '| a | b | pending |\n', ''],
  'much front matter':      ['a.md', '---\nhandoff_id: x\nfrom_agent: a\ndeliverables:\n', '  - one thing\n', '---\n'],
  'front matter never ends':['a.md', '---\n', 'key: value\n', ''],
  'many blocks':            ['a.md', '', '```yaml\nhandoff:\n  from: "@a"\n  to: "@b"\n```\n', ''],
  'many unclosed blocks':   ['a.md', '', '```yaml\nhandoff:\n', ''],
  'many broken blocks':     ['a.md', '', '```yaml\nhandoff: [\n```\n', ''],
  'many bare roots':        ['a.md', '', 'handoff:\n  a\n\nx\n', ''],
  'many rules':             ['a.md', '', '---\n', ''],
  'a large request':        ['a.json', '{"handoff_id":"hoff-1","source":{"agent_id":"@a"},"target":{"agent_id":"@b"},"input":{"data":[', '{"name":"x","n":1},', '0]}}'],
  'many unknown keys':      ['a.json', '{"source":{"agent_id":"@a"},"target":{"agent_id":"@b"}', ',"k":1', '}'],
  'a truncated request':    ['a.json', '{"source":{"agent_id":"@a"},"input":{"data":[', '{"name":"x"},', ''],
  'many objects':           ['a.json', '', '{"task_id":"P0.1.1","status":"done"}\n', ''],
  'a list of requests':     ['a.json', '[', '{"source":{"agent_id":"@a"},"target":{"agent_id":"@b"}},', '0]'],
  'open brackets':          ['a.json', '', '[', ''],
  'open braces':            ['a.json', '', '{"a":', ''],
  'open quotes':            ['a.json', '{"a":"', '\\"', ''],
  'many comments':          ['a.json', '{', '// no\n', '}'],
  'many list items':        ['a.yaml', 'handoff:\n  from: "@a"\n  to: "@b"\n  dependencies:\n', '    - task-15.3\n', ''],
  'many steps in':          ['a.yaml', 'handoff:\n', '- ', ''],
  'many aliases':           ['a.yaml', 'handoff:\n  from: &a "@a"\n  list:\n', '    - *a\n', ''],
  'many unquoted agents':   ['a.yaml', 'handoff:\n  list:\n', '    - @agent\n', ''],
  'the same key':           ['a.yaml', 'handoff:\n', '  from: "@a"\n', ''],
  'broken lines':           ['a.yaml', 'handoff:\n', '  from: a: b: c\n', ''],
  'spaces':                 ['a.md', '', ' ', ''],
  'one long word':          ['a.md', '# ', 'x', ''],
}

/** Hostile or merely long: the cost of reading grows no faster than the text. */
export function describeCosts(): void {
  describe('the cost of reading', () => {
    for (const [name, [path, head, piece, tail]] of Object.entries(GROWTHS))
      it(`at most ${TWICE} times for twice the text: ${name}`, () => {
        const made = (size: number): string => head + piece.repeat(Math.ceil(size / piece.length)) + tail
        const [small, large] = [made(SMALL), made(2 ** DOUBLINGS * SMALL)]
        assert.ok(grows(path, small, large) <= MOST)
      })
  })
}

/** The least of several measurements: whatever disturbs one makes it longer, never shorter. */
function grows(path: string, small: string, large: string): number {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 40; round++) {
    least = Math.min(least, time(path, small))
    most = Math.min(most, time(path, large))
    if (round >= 2 && (most < FLOOR_MS || most / least <= MOST)) return 0
  }
  return most / least
}

/** Of the processor, in milliseconds: what other programs do meanwhile does not count. */
function time(path: string, text: string): number {
  const started = process.cpuUsage()
  readDocuments(text, { path })
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}
