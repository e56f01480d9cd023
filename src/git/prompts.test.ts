import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { folders } from '../../test/support/documents/folders.ts'
import { checkoutFiles } from './files.ts'
import { type Files, findPrompt, PROMPTS_FOLDER, promptFiles, readSection } from './prompts.ts'

const PAGE = `# P0.1 Infrastructure

## P0.1.1 — Package setup

Read docs/reference/extractions/task-pipeline-algorithm.md and ../../../reference/extractions/b.md first.

### Ready-to-paste prompt

\`\`\`\`text
Set up the package.

\`\`\`json
{ "type": "module" }
\`\`\`
- [ ] this item belongs to the prompt
\`\`\`\`

### Verification checklist

- [x] \`npm test\` passes
- [ ] no lint errors
* [X] package.json is ESM
1. [ ] .env.example is there

## P0.1.11 — Another

\`\`\`
Another prompt.
\`\`\`

- [x] another item
`

const files = (pages: Readonly<Record<string, string>>): Files => ({
  list: async (folder) => (folder === PROMPTS_FOLDER ? Object.keys(pages) : []),
  read: async (path) => pages[path.slice(PROMPTS_FOLDER.length + 1)],
})

describe('the task-prompts file', () => {
  it('[S3-61] of P0.1.1 and P0.1.2 is the one of their group', () => {
    const names = ['index.md', 'p0.1-infrastructure.md', 'p0.10-other.md', 'p0.2-storage.md', 'p0.1.9-own.md']

    assert.deepEqual(promptFiles(names, 'P0.1.1'), ['p0.1-infrastructure.md'])
    assert.deepEqual(promptFiles(names, 'P0.1.2'), ['p0.1-infrastructure.md'])
    assert.deepEqual(promptFiles(names, 'P0.1.9'), ['p0.1.9-own.md', 'p0.1-infrastructure.md'])
    assert.deepEqual(promptFiles(names, 'P0.10.1'), ['p0.10-other.md'])
    assert.deepEqual(promptFiles(names, 'P9.1.1'), [])
  })

  it('[S3-62] holds the prompt of each task, ready to paste', () => {
    assert.equal(
      readSection(PAGE, 'P0.1.1').prompt,
      'Set up the package.\n\n```json\n{ "type": "module" }\n```\n- [ ] this item belongs to the prompt',
    )
    assert.equal(readSection(PAGE, 'P0.1.11').prompt, 'Another prompt.')
  })

  it('holds a prompt too where no fence is around it', () => {
    const { prompt } = readSection(
      '## Task P0.1.1: Setup\n\n### Prompt\n\n> Set it up.\n> All of it.\n',
      'P0.1.1',
    )

    assert.equal(prompt, 'Set it up.\nAll of it.')
  })

  it('[S3-45] holds the checklist of each task, ticked or not, with its lines', () => {
    assert.deepEqual(readSection(PAGE, 'P0.1.1').checklist, [
      { text: '`npm test` passes', done: true, line: 20 },
      { text: 'no lint errors', done: false, line: 21 },
      { text: 'package.json is ESM', done: true, line: 22 },
      { text: '.env.example is there', done: false, line: 23 },
    ])
    assert.deepEqual(readSection(PAGE, 'P0.1.11').checklist, [{ text: 'another item', done: true, line: 31 }])
  })

  it('may hold one checklist for all tasks outside their sections', () => {
    const page =
      '# Group\n\n## P0.1.1 — A\n\ntext\n\n## P0.1.2 — B\n\n- [ ] of B\n\n## Verification checklist\n\n- [x] shared\n'

    assert.deepEqual(
      readSection(page, 'P0.1.1').checklist.map(({ text }) => text),
      ['shared'],
    )
    assert.deepEqual(
      readSection(page, 'P0.1.2').checklist.map(({ text }) => text),
      ['of B'],
    )
  })

  it('names the extraction files that the task refers to, and none outside the repository', () => {
    assert.deepEqual(readSection(PAGE, 'P0.1.1').extractions, [
      'docs/reference/extractions/task-pipeline-algorithm.md',
      'docs/reference/extractions/b.md',
    ])
    assert.deepEqual(readSection('## P0.1.1\ndocs/extractions/../../../x.md', 'P0.1.1').extractions, [])
  })

  it('is looked for until one holds the section', async () => {
    const found = await findPrompt(files({ 'p0.1-a.md': '# nothing', 'p0.1-b.md': PAGE }), 'P0.1.1')
    const without = await findPrompt(files({ 'p0.1-a.md': '# nothing' }), 'P0.1.1')

    assert.deepEqual([found?.path, found?.title], [`${PROMPTS_FOLDER}/p0.1-b.md`, 'Package setup'])
    assert.deepEqual(without, { path: `${PROMPTS_FOLDER}/p0.1-a.md`, checklist: [], extractions: [] })
    assert.equal(await findPrompt(files({}), 'P0.1.1'), undefined)
  })

  it('is read whatever stands in it', () => {
    const line = fc.constantFrom('## P0.1.1', '```', '~~~~', '- [ ] a', '- [x] b', '# Prompt', '> q', '')
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
        const { checklist } = readSection(lines.join('\n'), 'P0.1.1')
        for (const item of checklist) assert.match(lines.join('\n').split('\n')[item.line - 1]!, /\[[ xX]\]/)
      }),
      { numRuns: 200 },
    )
  })
})

describe('the files of a checkout', () => {
  it('are read where they are files inside it, and nothing else is', async (t) => {
    const place = folders(t)
    const root = place.folder('shop')
    place.file('secret.md', 'secret')
    place.file('shop/docs/a.md', 'text')
    symlinkSync(place.path('secret.md'), place.path('shop/docs/link.md'))
    symlinkSync('a.md', place.path('shop/docs/inside.md'))
    execFileSync('mkfifo', [place.path('shop/docs/pipe.md')])
    const { list, read } = checkoutFiles(root)

    const found = await Promise.all(
      ['docs/a.md', 'docs/inside.md', 'docs/link.md', 'docs/pipe.md', 'docs', 'docs/none.md'].map(read),
    )

    assert.deepEqual(found, ['text', 'text', undefined, undefined, undefined, undefined])
    assert.deepEqual([...(await list('docs'))].sort(), ['a.md', 'inside.md', 'link.md', 'pipe.md'])
    assert.deepEqual(await list('nowhere'), [])
    await assert.rejects(read('../secret.md'), { code: 'invalid_input' })
  })
})
