import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { samplesOf } from '../../../../test/support/documents/samples.ts'
import { MAX_BLOCKS } from '../limits.ts'
import type { Source } from '../source.ts'
import { sourcesOf } from '../sources.ts'
import { ROOT_KEYS } from './blocks.ts'

const markdown = (text: string) => sourcesOf(text, { path: 'a/b.md' })
const fences = (text: string) => markdown(text).filter(({ kind }) => kind === 'fence')
const values = (sources: readonly Source[]) => sources.map(({ value }) => value)
const codes = ({ diagnostics }: Source) => diagnostics.map(({ code, line }) => [code, line])

describe('a Markdown text', () => {
  it('[S0-56] gives its front matter and the body below', () => {
    const text = '---\na: 1\nlist:\n  - x\n---\n\n# Title\n\n---\ntext\n'
    for (const options of [{}, { path: 'x.md' }, { path: 'x.txt' }]) {
      const [source, ...others] = sourcesOf(text, options)
      assert.equal(source!.kind, 'markdown')
      assert.deepEqual(source!.value, { a: 1, list: ['x'] })
      assert.equal(source!.body, '\n# Title\n\n---\ntext\n')
      assert.equal(text.slice(source!.bodyAt), source!.body)
      assert.equal(text.slice(source!.start, source!.end), 'a: 1\nlist:\n  - x\n')
      assert.deepEqual(source!.locate(['list', 0]), { line: 4, column: 5 })
      assert.deepEqual([source!.diagnostics, others], [[], []])
    }
  })

  it('takes CRLF, a byte order mark, and blank lines or spaces around the marks', () => {
    const [source] = markdown('\ufeff\r\n--- \r\na: 1\r\n...\r\nbody\r\n')
    assert.deepEqual([source!.value, source!.body], [{ a: 1 }, 'body\r\n'])
    assert.deepEqual(source!.locate(['a']), { line: 3, column: 4 })
  })

  it('is all body when there is no front matter', () => {
    for (const text of ['# Title\n\ntext', '---\nA rule above a sentence\n---\nmore', '**ID**: x\n']) {
      const [source] = markdown(text)
      assert.deepEqual([source!.value, source!.body, source!.diagnostics], [undefined, text, []])
    }
    assert.equal(markdown('\ufeff# Title')[0]!.body, '# Title')
  })

  it('has front matter below a comment, or in a fence around the whole document', () => {
    for (const above of ['```markdown\n', '<!-- made by hand -->\n\n']) {
      const [source] = markdown(`${above}---\na: 1\n---\n# T\n`)
      assert.deepEqual(source!.value, { a: 1 })
    }
  })

  it('ends front matter that is not closed at a heading below a blank line', () => {
    const [source] = markdown('---\na: 1\n# a comment\nb: 2\n\n# Title\ntext\n')
    assert.deepEqual([source!.value, source!.body], [{ a: 1, b: 2 }, '\n# Title\ntext\n'])
    assert.deepEqual(codes(source!), [['unclosed_front_matter', 1]])
  })

  it('ends front matter that is not closed at a line that cannot be YAML', () => {
    for (const rest of ['Some sentence.\n', '**Bold**: x\n\nmore\n---\nlast\n', '| a | b |\n']) {
      const [source] = markdown(`---\na: 1\n${rest}`)
      assert.deepEqual([source!.value, source!.body], [{ a: 1 }, rest])
      assert.deepEqual(codes(source!), [['unclosed_front_matter', 1]])
    }
  })

  it('says in the line of the file what is wrong in the front matter', () => {
    const [source] = markdown('---\na: 1\nfrom: @x\na: 2\n---\n')
    assert.deepEqual(codes(source!), [
      ['unquoted_at', 3],
      ['duplicate_key', 4],
    ])
  })

  it('has an error when it is empty', () => {
    for (const text of ['', '\n\n', '\ufeff']) assert.deepEqual(codes(markdown(text)[0]!), [['empty', 1]])
  })

  it('is told from YAML without a path', () => {
    const kinds = (text: string) => sourcesOf(text).map(({ kind }) => kind)
    assert.deepEqual(kinds('a: 1\nb: 2\n'), ['yaml'])
    assert.deepEqual(kinds('# c\n\nhandoff:\n  to: x\n'), ['yaml'])
    assert.deepEqual(kinds('---\na: 1\n---\nb: 2\n'), ['yaml', 'yaml'])
    assert.deepEqual(kinds('---\na: 1\n---\n# b\n'), ['markdown'])
    assert.deepEqual(kinds('a: [1\nb: 2\n'), ['yaml'])
    assert.deepEqual(kinds('Summary: done.\nAll tests pass.\n'), ['markdown'])
    assert.deepEqual(kinds('Just words'), ['markdown'])
  })
})

describe('a fenced block', () => {
  it('[S2-01] [S2-02] [S2-07] is found with its place, several in order', () => {
    const text = 'Done.\n\n```yaml\nhandoff:\n  to: a\n```\ntext\n~~~ yml\nhandoff:\n  to: b\n~~~\n'
    const found = fences(text)
    assert.deepEqual(values(found), [{ handoff: { to: 'a' } }, { handoff: { to: 'b' } }])
    assert.deepEqual(found[1]!.locate(['handoff', 'to']), { line: 10, column: 7 })
    assert.deepEqual(found.flatMap(codes), [])
  })

  it('[S2-03] [S2-04] is passed over when it says something else', () => {
    for (const block of [
      'yaml\nphase: x\n',
      'yaml\nconfig:\n  handoff: x\n',
      'javascript\nhandoff: x\n',
      'bash\nhandoff:\n  a: 1\n',
      '\nsome text\nhandoff:\n  a: 1\n',
      'json\n{"a": {"handoff": 1}}\n',
    ])
      assert.deepEqual(fences(`x\n\n\`\`\`${block}\`\`\`\n`), [], block)
  })

  it('is one of ours by any of the root keys, in YAML, JSON or without a word', () => {
    for (const key of ROOT_KEYS) {
      const value = { [key]: { a: 1 } }
      assert.deepEqual(values(fences(`\`\`\`yaml\n# note\n${key}:\n  a: 1\n\`\`\`\n`)), [value])
      assert.deepEqual(values(fences(`\`\`\`\n${key}:\n  a: 1\n\`\`\`\n`)), [value])
      assert.deepEqual(values(fences(`\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`)), [value])
    }
  })

  it('[S2-06] [A2-12] is found inside of another fence', () => {
    for (const [outer, closing] of [
      ['```markdown', '```'],
      ['````markdown', '````'],
      ['~~~', '~~~'],
      ['```text', ''],
    ]) {
      const text = `${outer}\nwords\n\`\`\`yaml\nhandoff:\n  to: a\n\`\`\`\n${closing}\nafter\n`
      assert.deepEqual(values(fences(text)), [{ handoff: { to: 'a' } }], outer)
      assert.deepEqual(fences(text).flatMap(codes), [])
    }
  })

  it('ends at the next block or at the end of the text when it is not closed', () => {
    const found = fences('```yaml\nhandoff:\n  to: a\n\n```yaml\nhandoff:\n  to: b\n')
    assert.deepEqual(values(found), [{ handoff: { to: 'a' } }, { handoff: { to: 'b' } }])
    assert.deepEqual(found.map(codes), [[['unclosed_fence', 1]], [['unclosed_fence', 5]]])
  })

  it('[S2-08] that is broken is reported in its place and does not hide the others', () => {
    const found = fences('```yaml\nhandoff: [\n```\n\n```yaml\nhandoff:\n  to: b\n```\n')
    assert.equal(found.length, 2)
    assert.deepEqual(codes(found[0]!), [['unclosed_bracket', 3]])
    assert.deepEqual(found[1]!.value, { handoff: { to: 'b' } })
  })

  it('is found in a list, with its indentation', () => {
    const found = fences(
      '1. Do\n\n   ```yaml\n   handoff:\n     to: a\n   ```\n- ```yaml\n  handoff:\n    to: b\n  ```\n',
    )
    assert.deepEqual(values(found), [{ handoff: { to: 'a' } }, { handoff: { to: 'b' } }])
    assert.deepEqual(found[1]!.locate(['handoff', 'to']), { line: 9, column: 9 })
  })

  it('may hold fences in a text of its own', () => {
    const [source] = fences('```yaml\nhandoff:\n  context: |\n    ```bash\n    ls\n    ```\n  to: a\n```\n')
    assert.deepEqual(source!.value, { handoff: { context: '```bash\nls\n```\n', to: 'a' } })
  })

  it('may hold several documents', () => {
    const found = fences('```yaml\nhandoff:\n  to: a\n---\nhandoff:\n  to: b\n```\n')
    assert.deepEqual(values(found), [{ handoff: { to: 'a' } }, { handoff: { to: 'b' } }])
  })

  it('is found after CRLF and in the body below front matter', () => {
    const [front, fence] = markdown('---\r\na: 1\r\n---\r\n```yaml\r\nhandoff:\r\n  to: "@b"\r\n```\r\n')
    assert.deepEqual([front!.value, fence!.value], [{ a: 1 }, { handoff: { to: '@b' } }])
    assert.deepEqual(fence!.locate(['handoff', 'to']), { line: 6, column: 7 })
  })

  it('beyond a number is left out with an error', () => {
    const found = fences('```yaml\nhandoff: {}\n```\n'.repeat(MAX_BLOCKS + 5))
    assert.equal(found.length, MAX_BLOCKS)
    assert.equal(found.at(-1)!.diagnostics[0]!.code, 'too_many_blocks')
  })

  it('[S2-05] is found eight times among the published samples, also inside another fence', () => {
    const found = fences(samplesOf('block'))
    const lines = found.map(({ start, position }) => position(start).line - 1)
    assert.deepEqual(lines, [3, 26, 49, 71, 91, 108, 126, 160])
  })
})

describe('a block without a fence', () => {
  it('is found where its key stands alone at the margin', () => {
    const found = fences('Prose.\n\nhandoff:\n  to: a\n\n  status: open\n\nMore prose.\n')
    assert.deepEqual(values(found), [{ handoff: { to: 'a', status: 'open' } }])
    assert.deepEqual(found[0]!.locate(['handoff', 'status']), { line: 6, column: 11 })
    for (const prose of [
      'handoff: done\n',
      'handoff:\nnext\n',
      'The handoff:\n  x\n',
      '```text\nhandoff:\n  a: 1\n```\n',
    ])
      assert.deepEqual(fences(`Prose.\n\n${prose}`), [])
  })

  it('reaches to the end of the text after a last rule', () => {
    const [source] = fences('# Title\n\ntext\n\n---\nhandoff:\n  to: a\n\nnotes: x\n')
    assert.deepEqual(source!.value, { handoff: { to: 'a' }, notes: 'x' })
    const [cut] = fences('text\n\n---\nhandoff:\n  to: a\n\nBye.\n')
    assert.deepEqual(cut!.value, { handoff: { to: 'a' } })
  })
})
