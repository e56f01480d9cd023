import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv, lines, quick } from '../support/program/command.ts'

describe('completion', () => {
  const files = folders({ after })
  const where = { cwd: files.repository('shop') }
  let first = ''
  before(async () => {
    first = (await ask<{ handoff: { id: string } }>(where, 'send', '--to', 'codex', '--title', 'Add limits'))
      .handoff.id
    await ask(where, 'send', '--to', 'gemini', '--title', 'Write docs')
  })
  const offered = async (...words: string[]) =>
    lines((await quick(where, '__complete', ...words)).stdout).map((line) => line.split('\t')[0])

  it('offers commands, verbs, options, choices, agents and the ids that the verb can be applied to', async () => {
    assert.deepEqual(await offered('se'), ['send', 'serve', 'setup'])
    assert.deepEqual(await offered('fi'), [], 'an old spelling')
    assert.deepEqual(await offered('task', 'st'), ['start'])
    assert.deepEqual(await offered('store', ''), ['info', 'backup', 'restore', 'move', 'upgrade', 'grants'])
    assert.deepEqual(await offered('send', '--del'), ['--deliverable'])
    assert.deepEqual(await offered('send', '--priority', ''), ['critical', 'high', 'normal', 'low'])
    assert.deepEqual(await offered('send', '--to', 'g'), ['gemini'])
    assert.deepEqual(await offered('accept', '--as', 'codex', ''), [first])
    assert.deepEqual(await offered('inbox', '--as', 'co'), ['codex'])
    assert.deepEqual(await offered('verify', ''), [])
    assert.deepEqual(await offered('cancel', '1'), ['1'])
    assert.deepEqual((await offered('show', '--as', 'gemini', 'HO')).length, 2)
    assert.ok((await offered('submit', '-')).includes('-m'))
  })

  it('says nothing and fails nowhere, whatever is asked and wherever', async (t) => {
    const nowhere = { cwd: folders(t).folder('empty') }
    for (const words of [
      [],
      ['frobnicate', ''],
      ['accept', ''],
      ['send', '--to', ''],
      ['store', 'x', ''],
      ['--nope', ''],
    ])
      assert.deepEqual(
        { ...(await quick(nowhere, '__complete', ...words)), stdout: '' },
        { code: 0, stdout: '', stderr: '' },
      )
  })

  it('in bash parses and completes a real line', async () => {
    const { stdout } = await baton(where, 'completion', 'bash')
    assert.deepEqual(spawnSync('bash', ['-n'], { input: stdout }).status, 0)
    const command = files.file('bin/baton', `#!/bin/sh\nexec "${process.execPath}" "${BATON}" "$@"\n`)
    chmodSync(command, 0o755)
    const script = `${stdout}
COMP_WORDS=(baton accept --as codex "")
COMP_CWORD=4
_baton
printf '%s\\n' "\${COMPREPLY[@]}"`

    const env = cleanEnv({ ...where, env: {} })
    const run = spawnSync('bash', ['-c', script], {
      cwd: where.cwd,
      // Bash warns of a language that is not installed here.
      env: { ...env, LC_ALL: 'C', PATH: `${files.path('bin')}:${env.PATH}` },
      encoding: 'utf8',
    })

    assert.deepEqual([run.stdout, run.stderr], [`${first}\n`, ''])
  })

  for (const [shell, defines] of [
    ['zsh', /^#compdef baton\n[\s\S]*\bcompdef _baton baton\n$/],
    ['fish', /complete -c baton -a '\(__baton_complete\)'\n$/],
  ] as const)
    it(`in ${shell} asks the same program, and parses where ${shell} is installed`, async () => {
      const { stdout } = await quick(where, 'completion', shell)

      assert.match(stdout, defines)
      assert.match(stdout, /\bbaton __complete\b/)
      if (spawnSync(shell, ['--version']).status === 0)
        assert.equal(spawnSync(shell, ['-n', files.file(`completion.${shell}`, stdout)]).status, 0)
    })
})
