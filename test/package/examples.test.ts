import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '../..')
const EXAMPLES = join(ROOT, 'examples/typescript')
const examples = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(EXAMPLES, name), 'utf8').split('\n'))

/** What a user of the package can call, and where it is written. */
const PUBLIC: Readonly<Record<string, string>> = {
  Baton: 'src/runner/baton.ts',
  BatonAgent: 'src/runner/baton-agent.ts',
  SentHandoff: 'src/runner/sent-handoff.ts',
  Specialist: 'src/runner/specialist.ts',
  Work: 'src/runner/work.ts',
  TestPerson: 'src/test-kit.ts',
}
const FUNCTIONS: Readonly<Record<string, string>> = {
  openBaton: 'src/index.ts',
  defineWork: 'src/runner/define-work.ts',
  validateHandoff: 'src/dialects/block/validate.ts',
  check: 'src/documents.ts',
  convert: 'src/documents.ts',
  readDocuments: 'src/documents.ts',
  rewrite: 'src/dialects/rewrite.ts',
  openTestBaton: 'src/test-kit.ts',
}
const TEXTS = [
  ...new Set([
    ...Object.values(PUBLIC),
    ...Object.values(FUNCTIONS),
    'README.md',
    'docs/guides/typescript.md',
    'docs/guides/durable-planner.md',
  ]),
]

describe('the examples of the TypeScript API', () => {
  it('are quoted by the docs line for line, so that what is shown is what the tests run', () => {
    const unknown = TEXTS.flatMap((file) =>
      blocksOf(file)
        .filter((block) => !examples.some((example) => holds(example, block)))
        .map((block) => `${file}: ${block.join('\n')}`),
    )

    assert.deepEqual(unknown, [])
  })

  it('stand in the comment of every public function', () => {
    const methods = Object.entries(PUBLIC).flatMap(([name, file]) =>
      membersOf(name, read(file)).map((member) => ({ ...member, name: `${name}.${member.name}` })),
    )
    const commentOf = (name: string, file: string): string => {
      const above = new RegExp(
        `/\\*\\*(?<comment>(?:(?!\\*/)[\\s\\S])*)\\*/\\nexport (?:async )?function ${name}\\b`,
      )
      return above.exec(read(file))?.groups?.comment ?? ''
    }
    const all = [
      ...methods,
      ...Object.entries(FUNCTIONS).map(([name, file]) => ({ name, comment: commentOf(name, file) })),
    ]

    assert.deepEqual(
      all.filter(({ comment }) => !comment.includes('```ts')).map(({ name }) => name),
      [],
    )
    assert.ok(all.length > 20, 'the members were not found')
  })
})

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** The TypeScript blocks of a doc comment or a page, each as its lines without what they are indented by. */
function blocksOf(file: string): string[][] {
  return [...read(file).matchAll(/^(?<margin>[ *]*)```ts\n(?<code>[\s\S]*?)\n[ *]*```$/gm)].map(
    ({ groups }) => {
      const margin = groups?.margin ?? ''
      return (groups?.code ?? '').split('\n').map((line) => line.slice(margin.length))
    },
  )
}

function holds(example: readonly string[], block: readonly string[]): boolean {
  return example.some((first, at) => {
    const indent = first.length - first.trimStart().length
    return block.every((line, i) => example[at + i]?.slice(line === '' ? 0 : indent) === line)
  })
}

/** The public methods of a class or an interface, with the comment above each. */
function membersOf(name: string, text: string): { name: string; comment: string }[] {
  const [, body = ''] =
    new RegExp(`export (?:class|interface) ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(text) ?? []
  const members =
    /(?:\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}(?:async )?(?<name>[a-z]\w*)(?:<[\s\S]*?>)?\(/gm
  // The first of several overloads has the comment.
  const first = new Map(
    [...body.matchAll(members)].reverse().map(({ groups }) => [groups?.name ?? '', groups?.comment ?? '']),
  )
  first.delete('constructor')
  return [...first].map(([member, comment]) => ({ name: member, comment }))
}
