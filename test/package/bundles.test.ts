import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { openWorkspace } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { servers } from '../support/servers/listeners.ts'
import { run } from './program.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A program of somebody who bundles the package. A schema with a pattern is checked in a thread. */
const PROGRAM = `
import { BatonError, HandoffFailedException, openBaton } from 'batonpass'
import { openBaton as openServer } from 'batonpass/client'
import { waitForHandoffCompletion } from 'batonpass/queue'

const checks = [{ kind: 'json_schema', schema: { type: 'string', pattern: '^[A-Z]+$' } }]
async function use(baton) {
  await baton.work('worker', {}, async ({ input }) => ({ output: input.toUpperCase() }))
  const planner = baton.as('planner')
  const sent = await planner.send({ to: 'worker', title: 'Upper', input: 'card', home: 'queue', checks })
  const { output } = await sent.wait()
  const refused = await planner.send({}).catch((error) => error)
  await baton.close()
  return [output, refused instanceof BatonError, refused instanceof HandoffFailedException]
}
async function main() {
  const [file, url, ...token] = process.argv.slice(2)
  const uses = [await openBaton(':memory:'), await openBaton(file), await openServer(url, { token })].map(use)
  const refused = await waitForHandoffCompletion('').catch((error) => error)
  console.log(JSON.stringify([...(await Promise.all(uses)), refused instanceof BatonError]))
}
main()
`
const PRINTED = JSON.stringify([...Array(3).fill(['CARD', true, false]), true])

const FORMATS = { esm: 'mjs', cjs: 'cjs' } as const
const OUTPUT = JSON.stringify(
  Object.entries(FORMATS).map(([format, end]) => ({
    dir: `made-${format}`,
    format,
    entryFileNames: `[name].${end}`,
    chunkFileNames: `[name]-[hash].${end}`,
  })),
)

/** The command lines of each bundler, and the file of settings that it asks for. */
const BUNDLERS: Readonly<Record<string, { readonly runs: readonly string[][]; readonly settings?: string }>> =
  {
    // Its command is a script or a binary, as it was installed; its interface is the same everywhere.
    esbuild: {
      runs: [['settings.mjs']],
      settings: `
import { build } from '${ROOT}/node_modules/esbuild/lib/main.js'
for (const { dir: outdir, format, entryFileNames } of ${OUTPUT})
  await build({
    entryPoints: ['program.js'], bundle: true, platform: 'node', format, outdir,
    outExtension: { '.js': entryFileNames.replace('[name]', '') }, logLevel: 'error',
  })`,
    },
    rollup: {
      runs: [['rollup/dist/bin/rollup', '--config', 'settings.mjs', '--silent']],
      settings: `
import { fileURLToPath } from 'node:url'
const found = (id) => (id.startsWith('batonpass') ? fileURLToPath(import.meta.resolve(id)) : null)
export default { input: 'program.js', external: /^node:/, plugins: [{ name: 'packages', resolveId: found }], output: ${OUTPUT} }`,
    },
    vite: {
      runs: [['vite/bin/vite.js', 'build', '--config', 'settings.mjs', '--logLevel', 'error']],
      settings: `
export default {
  ssr: { noExternal: true },
  build: { ssr: true, rollupOptions: { input: 'program.js', output: ${OUTPUT} } },
}`,
    },
  }

describe('a bundle of the package, made by its user', () => {
  for (const [bundler, { runs, settings = '' }] of Object.entries(BUNDLERS))
    it(`by ${bundler} runs as an ES module and as CommonJS`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'baton-bundle-'))
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(ROOT, join(folder, 'node_modules/batonpass'))
      for (const [name, text] of Object.entries({ 'program.js': PROGRAM, 'settings.mjs': settings }))
        writeFileSync(join(folder, name), text)
      const { url, service } = await servers(t, openWorkspace)
      const tokens = await Promise.all(['planner', 'worker'].map((name) => newToken(service, name)))
      const start = async (file: string, ...args: string[]) => {
        const { stdout, stderr } = await run(process.execPath, [file, ...args], { cwd: folder })
        return [stderr, stdout]
      }

      const said = await Promise.all(
        runs.map(([program = '', ...args]) =>
          start(program === 'settings.mjs' ? program : join(ROOT, 'node_modules', program), ...args),
        ),
      )
      // In a bundle nothing is found by its place in the package.
      rmSync(join(folder, 'node_modules'), { recursive: true })
      const printed = await Promise.all(
        Object.entries(FORMATS).map(([format, end]) =>
          start(`made-${format}/program.${end}`, `${format}.db`, url, ...tokens),
        ),
      )

      assert.equal(said.map(([stderr]) => stderr).join(''), '')
      assert.deepEqual(printed, [
        ['', `${PRINTED}\n`],
        ['', `${PRINTED}\n`],
      ])
    })
})
