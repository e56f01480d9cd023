import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { summary } from '../support/documents/blocks.ts'
import { queueDocument } from '../support/documents/documents.ts'
import { folders } from '../support/documents/folders.ts'
import { samplesOf } from '../support/documents/samples.ts'
import { lines, quick, type Where } from '../support/program/command.ts'

/** A repository with these summaries. */
function project(t: TestContext, files: Readonly<Record<string, string>>): Where {
  const place = folders(t)
  const cwd = place.repository('shop')
  for (const [name, text] of Object.entries(files)) place.file(`shop/${name}`, text)
  return { cwd }
}

const more = (line: string, status = 'complete'): string =>
  summary({ status }).replace('\n```\n', `\n  ${line}\n\`\`\`\n`)

const INVALID: Readonly<Record<string, string>> = {
  'two status lines': more('status: "failed"'),
  'an open bracket': more('metrics: [unclosed'),
  'an open quote': more('metrics: {note: "unclosed'),
  'a chain of aliases': more(
    ['metrics:', 'a: &a [1,1,1,1,1,1,1,1,1,1]', ...aliases('abcdefgh')].join('\n    '),
  ),
  'a negative retry_count': more('retry_count: -1'),
  'dependencies that are a mapping': more('dependencies: {a: 1}').replace('"None"', '"@next"'),
  'a route_to without @': more('on_failure: {route_to: "fixer"}').replace('"None"', '"@two"'),
}

function aliases(names: string): readonly string[] {
  return [...names]
    .slice(1)
    .map((name, i) => `${name}: &${name} [${Array(10).fill(`*${names[i]}`).join(',')}]`)
}

describe('J12, a pipeline that reads summaries with mistakes', () => {
  for (const [name, text] of Object.entries(INVALID))
    it(`[S2-75] does not pass a block with ${name}, and names the reason`, async (t) => {
      const where = project(t, { 'bad.md': text })

      for (const args of [['--no-store'], ['--no-store', '--all'], []]) {
        const { code, stdout } = await quick(where, 'collect', ...args, 'bad.md')
        assert.equal(code, 12, stdout)
        assert.match(stdout, /^·\t.*\tinvalid; \S/m)
      }
    })

  it('[S2-75] does not pass an invalid block beside valid ones, which are still stored', async (t) => {
    const where = project(t, {
      'a.md': summary({ from: '@first' }),
      'b.md': more('status: "failed"'),
      'c.md': summary({ from: '@last' }),
    })

    const table = await quick(where, 'collect', 'a.md', 'b.md', 'c.md')
    const junit = await quick(where, 'collect', '--format', 'junit', 'a.md', 'b.md', 'c.md')

    assert.deepEqual([table.code, junit.code], [12, 12])
    assert.match(
      table.stdout,
      /^a handoff block is missing or invalid \(3 entries, 2 recorded, 1 invalid\)$/m,
    )
    assert.match(junit.stdout, /tests="3" failures="0" errors="1" skipped="0"/)
    assert.equal(lines((await quick(where, 'report', 'history')).stdout).length, 2)
  })

  it('[S2-05] stores seven of the eight published blocks, one of them inside another fence, and not the template', async (t) => {
    const where = project(t, { 'samples.md': samplesOf('block') })

    const { code, stdout } = await quick(where, 'collect', 'samples.md')

    const places = [...stdout.matchAll(/samples\.md:(\d+)/g)].map(([, line]) => Number(line))
    assert.deepEqual([code, places], [12, [4, 27, 50, 72, 92, 109, 127, 161]])
    assert.match(stdout, /^·\t.*\tsamples\.md:4\tinvalid; Invalid phase: string/m)
    assert.match(stdout, /^a handoff block is missing or invalid \(8 entries, 1 invalid, 7 recorded\)$/m)
    assert.equal(lines((await quick(where, 'report', 'history')).stdout).length, 7)
  })

  it('[S2-75] fails a call whose only valid block failed, however an invalid one ends', async (t) => {
    const where = project(t, { 'a.md': summary({ status: 'failed' }) + more('status: "failed"') })

    const junit = await quick(where, 'collect', '--no-store', '--format', 'junit', 'a.md')

    assert.equal(junit.code, 1)
    assert.match(junit.stdout, /tests="2" failures="1" errors="1"/)
  })
})

describe('J12, a summary with half of a character', () => {
  const half = summary({ from: '@broken' }).replace('\n```\n', '\n  metrics: {note: "🎉 \\ud800 x"}\n```\n')

  it('[S2-80] is reported with its line by check and collect, and the other files are collected', async (t) => {
    const where = project(t, {
      'a.md': summary({ from: '@first' }) + half.replace('ud800', 'udc00'),
      'b.md': half,
      'c.md': summary({ from: '@last' }),
    })

    const checked = await quick(where, 'check', 'b.md')
    const read = await quick(where, 'collect', '--no-store', 'b.md')
    const stored = await quick(where, 'collect', 'a.md', 'b.md', 'c.md')

    assert.equal(checked.code, 8)
    assert.match(checked.stdout, /\b9:19 .*lone_surrogate/)
    assert.deepEqual([read.code, stored.code], [12, 12])
    assert.match(stored.stderr, /b\.md:9 lone_surrogate: this text holds half of a character/)
    assert.match(stored.stdout, /\(4 entries, 2 recorded, 2 invalid\)/)
  })

  it('[S2-80] is reported in queue JSON, where a whole character in escapes is not', async (t) => {
    const request = (note: string) =>
      queueDocument('hoff-001-1705147200000', { note: 'NOTE' }).replace('NOTE', note)
    const where = project(t, { 'half.json': request('\\ud800'), 'whole.json': request('\\ud83c\\udf89') })

    const half = await quick(where, 'check', 'half.json', '--json')
    const whole = await quick(where, 'check', 'whole.json', '--json')
    const imported = await quick(where, 'import', 'half.json')

    assert.match(half.stdout, /"code":"lone_surrogate","message":"[^"]*","line":\d+/)
    assert.doesNotMatch(whole.stdout, /lone_surrogate/)
    assert.notEqual(imported.code, 0)
    assert.match(imported.stdout + imported.stderr, /half of a character/)
  })
})
