// The verifier for those who have nothing of ours: one file for Node, and one page for a browser.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { frame } from './verify-page/frame.mjs'

const PAGE = 'scripts/verify-page'

/** Writes `baton-verify.mjs` and `baton-verify.html` into a folder. */
export async function buildVerifiers(folder) {
  mkdirSync(folder, { recursive: true })
  const [program, script] = await Promise.all([
    singleFile('src/archive/audit-verify-file.ts', 'node', 'esm'),
    singleFile(`${PAGE}/page.js`, 'browser', 'iife'),
  ])
  writeFileSync(join(folder, 'baton-verify.mjs'), `#!/usr/bin/env node\n${program}`, { mode: 0o755 })
  writeFileSync(join(folder, 'baton-verify.html'), page(script))
}

/** Everything in one file, and nothing left to load. */
export async function singleFile(input, platform, format, minify = false) {
  const build = await rolldown({ input, platform, treeshake: true })
  const { output } = await build.generate({
    format,
    codeSplitting: false,
    minify,
    sourcemap: false,
  })
  await build.close()
  if (output.length !== 1) throw new Error(`${input} became ${output.length} files`)
  const foreign = output[0].imports.filter((name) => !name.startsWith('node:'))
  if (foreign.length > 0) throw new Error(`${input} would load ${foreign.join(', ')}`)
  return output[0].code
}

/** The page may run this script and show this style, and do nothing else: no network, no frames, no forms. */
function page(script) {
  const style = readFileSync(join(PAGE, 'page.css'), 'utf8')
  // Nothing in the script may end its element.
  const safe = script.replaceAll('</', '<\\/')
  const policy = `default-src 'none'; script-src '${sourceOf(safe)}'; style-src '${sourceOf(style)}'; base-uri 'none'; form-action 'none'`
  return frame({ policy, style, script: safe })
}

const sourceOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`
