import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '../..')
const examples = ['examples/typescript', 'examples/typescript-queue'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => readFileSync(join(ROOT, folder, name), 'utf8').split('\n')),
)

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
    'docs/tutorials/typescript.md',
    'docs/how-to/durable-planner.md',
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

  it('stand in the README as one whole program, which prints and ends when it is typed', () => {
    const [program = [], ...more] = blocksOf('README.md')

    assert.deepEqual(more, [])
    assert.match(program[0] ?? '', /^import .* from 'batonpass'$/)
    assert.ok(program.some((line) => line.startsWith('console.log(')))
    assert.equal(program.at(-1), 'await baton.close()')
  })

  it('call every function that an entry of the package exports', async () => {
    const { exports } = JSON.parse(read('package.json'))
    const { './package.json': _, ...entries } = exports as Record<string, { readonly default: string }>
    const texts = examples.map((lines) => lines.join('\n'))
    const uncalled: string[] = []
    for (const [entry, { default: file }] of Object.entries(entries)) {
      const imported = texts.filter((text) => text.includes(`from 'batonpass${entry.slice(1)}'`))
      const named = new Map<unknown, string>()
      // A function with two names needs one example. Errors are the same classes in every entry.
      for (const [name, value] of Object.entries(await import(join(ROOT, file))))
        if (typeof value === 'function' && !named.has(value)) named.set(value, name)
      for (const [value, name] of named) {
        const isClass = String(value).startsWith('class')
        const isUsed = isClass
          ? name in PUBLIC || texts.some((text) => text.includes(name))
          : imported.some((text) => text.includes(`${name}(`))
        if (!isUsed) uncalled.push(`${entry} ${name}`)
      }
      assert.ok(named.size > 0, entry)
    }
    const methods = Object.entries(PUBLIC).flatMap(([type, file]) =>
      membersOf(type, read(file)).map(({ name }) => `${type}.${name}`),
    )
    for (const method of methods)
      if (!texts.some((text) => text.includes(`.${method.split('.')[1]}(`))) uncalled.push(method)

    assert.deepEqual(uncalled, [])
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
