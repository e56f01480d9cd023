import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { it } from 'node:test'
import { run } from '../package/program.ts'
import { PROGRAM_NAMES } from '../programs/programs.ts'

const CHECK = resolve(import.meta.dirname, '../programs/check.ts')

for (const program of PROGRAM_NAMES)
  it(`${program} goes through every story with nothing but what setup wrote`, async () => {
    const { code, stdout, stderr } = await run(process.execPath, [CHECK, program], {
      cwd: resolve(CHECK, '../../..'),
    })

    assert.equal(code, 0, `${stdout}\n${stderr}`)
  })

it('the example team of three programs takes a request over a gate to a person', async () => {
  const { code, stdout, stderr } = await run(process.execPath, [CHECK, '--team'], {
    cwd: resolve(CHECK, '../../..'),
  })

  assert.equal(code, 0, `${stdout}\n${stderr}`)
})

it('three programs that baton run starts end 20 handoffs as they should, with refusals and retries', async () => {
  const { code, stdout, stderr } = await run(process.execPath, [CHECK, '--run'], {
    cwd: resolve(CHECK, '../../..'),
  })

  assert.equal(code, 0, `${stdout}\n${stderr}`)
})

it('the runner killed 50 times and its programs killed 50 times lose none of 20 handoffs and hand none in twice', async () => {
  const { code, stdout, stderr } = await run(process.execPath, [CHECK, '--kills', '50'], {
    cwd: resolve(CHECK, '../../..'),
  })

  assert.equal(code, 0, `${stdout}\n${stderr}`)
})
