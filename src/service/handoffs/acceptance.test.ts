import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Check, CheckResult, Result } from '../../domain/handoffs/package.ts'
import { createCheckRunner } from './acceptance.ts'

const NODE = JSON.stringify(process.execPath)
const SHA256 = hash('sha256', 'limits\n', 'hex')

let folder: string
let root: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-checks-'))
  root = join(folder, 'project')
  mkdirSync(join(root, 'src'), { recursive: true })
  mkdirSync(join(folder, 'project-beside'))
  writeFileSync(join(root, 'src', 'limit.ts'), 'limits\n')
  writeFileSync(join(folder, 'secret'), 'limits\n')
  writeFileSync(join(folder, 'project-beside', 'file'), '')
  symlinkSync(join(folder, 'secret'), join(root, 'way-out'))
  symlinkSync(folder, join(root, 'folder-out'))
  symlinkSync(join(root, 'src', 'limit.ts'), join(root, 'way-in'))
  symlinkSync('self', join(root, 'self'))
})
after(() => rmSync(folder, { recursive: true }))

const UNLISTED = 'not run: list it under checks.commands in baton.yaml, then: baton trust'

const run = async (check: Check, result: Result = {}, isListed = true, commandTimeLimitMs = 60_000) => {
  const commands = check.kind === 'command' && isListed ? [check.command] : ['npm run other']
  const runChecks = createCheckRunner({ root, commands, commandTimeLimitMs })
  const [{ name, where, ...outcome }] = (await runChecks([check], result)) as [CheckResult]
  return outcome
}

describe('acceptance checks', () => {
  it('look for a file, written either way', async () => {
    assert.deepEqual(await run({ kind: 'file_exists', path: 'src/limit.ts' }), { ok: true })
    assert.deepEqual(await run({ kind: 'file_exists', path: 'src\\limit.ts' }), { ok: true })
    assert.deepEqual(await run({ kind: 'file_exists', path: 'way-in' }), { ok: true })
    assert.deepEqual(await run({ kind: 'file_exists', path: 'src/none.ts' }), {
      ok: false,
      detail: 'not there',
    })
  })

  const outside = [
    '../secret',
    '../none',
    'src/../../secret',
    '/etc/hostname',
    '../project-beside/file',
    'way-out',
    'folder-out/secret',
    'self',
    'a\0b',
    'x'.repeat(2_000),
  ]
  for (const path of outside) {
    it(`find nothing at ${JSON.stringify(path.slice(0, 40))}`, async () => {
      assert.equal(((await run({ kind: 'file_exists', path })) as { ok?: boolean }).ok, false)
      assert.equal(((await run({ kind: 'sha256', path, sha256: SHA256 })) as { ok?: boolean }).ok, false)
    })
  }

  it('compare the hash of a file', async () => {
    assert.deepEqual(await run({ kind: 'sha256', path: 'src/limit.ts', sha256: SHA256 }), { ok: true })
    assert.deepEqual(await run({ kind: 'sha256', path: 'src/limit.ts', sha256: '0'.repeat(64) }), {
      ok: false,
      detail: `it has ${SHA256}`,
    })
    assert.deepEqual(await run({ kind: 'sha256', path: 'src', sha256: SHA256 }), {
      ok: false,
      detail: 'it has no hash: it is not a file',
    })
  })

  it('hold the output against a JSON Schema', async () => {
    const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }

    assert.deepEqual(await run({ kind: 'json_schema', schema }, { output: { total: 3 } }), { ok: true })
    assert.deepEqual(await run({ kind: 'json_schema', schema }, { output: { total: '3' } }), {
      ok: false,
      detail: 'total: must be number',
    })
    assert.deepEqual(await run({ kind: 'json_schema', schema }), {
      ok: false,
      detail: 'no output was handed in',
    })
  })

  it('do not count a schema that cannot be used against the receiver', async () => {
    const outcome = await run({ kind: 'json_schema', schema: { type: 'text' } }, { output: 1 })

    assert.deepEqual(Object.keys(outcome), ['detail'])
    assert.match((outcome as { detail: string }).detail, /^not run: the schema cannot be used/)
  })

  it('ask for evidence of a deliverable', async () => {
    const check: Check = { kind: 'evidence', deliverable: 'Middleware' }
    const evidence = (text: string) => ({ evidence: [{ deliverable: ' Middleware ', evidence: text }] })

    assert.deepEqual(await run(check, evidence('src/limit.ts')), { ok: true })
    assert.deepEqual(await run(check, evidence('  ')), { ok: false, detail: 'none was given' })
    assert.deepEqual(await run(check), { ok: false, detail: 'none was given' })
  })

  it('answer every check in the order given, by name', async () => {
    const checks: Check[] = [
      { kind: 'file_exists', path: 'src/limit.ts' },
      { kind: 'evidence', deliverable: 'Tests' },
      { kind: 'command', command: 'npm test' },
    ]

    const where = `${hostname()}:project`
    assert.deepEqual(await createCheckRunner({ root, commands: [] })(checks, {}), [
      { name: 'file exists: "src/limit.ts"', ok: true, where },
      { name: 'evidence for "Tests"', ok: false, detail: 'none was given', where },
      { name: 'command exits 0: "npm test"', detail: UNLISTED },
    ])
  })

  it('tell without a result what cannot run here, and run nothing', async () => {
    const command = `${NODE} -e "require('fs').writeFileSync('thought', '')"`
    const checks: Check[] = [
      { kind: 'command', command },
      { kind: 'command', command: 'npm test' },
      { kind: 'command', command: 'echo "open' },
      { kind: 'file_exists', path: 'src/none.ts' },
      { kind: 'json_schema', schema: { type: 'text' } },
      { kind: 'json_schema', schema: { type: 'number' } },
      { kind: 'evidence', deliverable: 'Tests' },
    ]

    const found = await createCheckRunner({ root, commands: [command, 'echo "open'] })(checks)

    assert.deepEqual(
      found.map(({ detail, ok }) => [ok, detail?.slice(0, 30)]),
      [
        [undefined, undefined],
        [undefined, UNLISTED.slice(0, 30)],
        [undefined, 'not run: a " is not closed in:'],
        [undefined, undefined],
        [undefined, 'not run: the schema cannot be '],
        [undefined, undefined],
        [undefined, undefined],
      ],
    )
    assert.equal(existsSync(join(root, 'thought')), false)
  })
})

describe('a command as an acceptance check', () => {
  it('does not run where it is not listed, whatever else is', async () => {
    const file = join(root, 'ran')
    const command = `${NODE} -e "require('fs').writeFileSync('ran', '')"`

    assert.deepEqual(await run({ kind: 'command', command }, {}, false), {
      detail: UNLISTED,
    })
    assert.equal(existsSync(file), false)
    assert.deepEqual(await run({ kind: 'command', command }), { ok: true })
    assert.equal(existsSync(file), true)
  })

  it('holds when it exits with 0, and tells the last words of one that does not', async () => {
    const command = `${NODE} -e "console.log('two tests failed'); process.exit(3)"`

    assert.deepEqual(await run({ kind: 'command', command }), {
      ok: false,
      detail: 'exit code 3: two tests failed',
    })
  })

  it('is not read by a shell', async () => {
    const print = `${NODE} -e "process.exit(process.argv[1] === '*' ? 0 : 1)"`

    assert.deepEqual(await run({ kind: 'command', command: `${print} *` }), { ok: true })
    for (const tail of [
      '&& touch hacked',
      '| cat',
      '; touch hacked',
      '> hacked',
      '$(touch hacked)',
      '`id`',
    ]) {
      const outcome = await run({ kind: 'command', command: `${print} ${tail}` })
      assert.match((outcome as { detail: string }).detail, /^not run: commands are run without a shell/)
    }
    assert.equal(existsSync(join(root, 'hacked')), false)
  })

  it('fails when it cannot be started, and is not run when it cannot be read', async () => {
    const missing = await run({ kind: 'command', command: 'no-such-program-here' })
    const open = await run({ kind: 'command', command: 'echo "open' })

    assert.match((missing as { detail: string }).detail, /^could not be started/)
    assert.deepEqual(open, { detail: 'not run: a " is not closed in: echo "open' })
  })

  it('is ended with all that it started when it takes too long', async () => {
    const inner = `setInterval(() => require('fs').writeFileSync('alive', String(Date.now())), 20)`
    const outer = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' })`
    writeFileSync(join(root, 'endless.js'), `${outer}\nsetInterval(() => {}, 1000)\n`)

    const outcome = await run({ kind: 'command', command: `${NODE} endless.js` }, {}, true, 1_000)

    assert.deepEqual(outcome, { ok: false, detail: 'ended after 1 s' })
  })
})
