import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { readEnvironment } from '../src/config/config.ts'
import { folders } from './support/documents/folders.ts'

const SCRIPTS = resolve(import.meta.dirname, '../scripts')

/** Runs these lines with one of the runner's modules at hand; answers what they printed. */
function printed(module: string, lines: string, env: NodeJS.ProcessEnv = {}): string {
  const script = `import * as runner from ${JSON.stringify(join(SCRIPTS, module))}\n${lines}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  })
  assert.equal(stderr, '')
  return stdout
}

describe('the environment of a test run', () => {
  it('hides the shell of the user, but not the language and the time zone', (t) => {
    const home = folders(t).folder('of somebody')
    const shell = {
      HOME: home,
      TMPDIR: home,
      LANG: 'C',
      LC_ALL: 'de_DE.UTF-8',
      TZ: 'Pacific/Auckland',
      https_proxy: 'http://proxy.example',
      BATON_STORE: 'postgres://prod.example',
      BATON_AGENT: 'claude',
      CLAUDECODE: '1',
      CODEX_SANDBOX: 'seatbelt',
      CI: 'true',
      NO_COLOR: '1',
      COLUMNS: '40',
      GIT_DIR: '/elsewhere',
      XDG_CONFIG_HOME: '/elsewhere',
      PGHOST: '/elsewhere',
      NODE_OPTIONS: '--no-deprecation',
    }
    const [text, isThere] = JSON.parse(
      printed(
        'test-environment.mjs',
        `import { existsSync } from 'node:fs'
        const leave = runner.enterOwnEnvironment('/clone')
        const env = { ...process.env }
        leave()
        console.log(JSON.stringify([env, existsSync(env.TMPDIR)]))`,
        shell,
      ),
    )
    const { PATH, HOME, TMPDIR, ...rest } = text

    assert.deepEqual(rest, {
      LANG: 'C',
      LC_ALL: 'de_DE.UTF-8',
      TZ: 'Pacific/Auckland',
      https_proxy: 'http://proxy.example',
      GIT_CONFIG_NOSYSTEM: '1',
      NODE_COMPILE_CACHE: '/clone/node_modules/.cache/compiled',
      PLAYWRIGHT_BROWSERS_PATH: join(home, '.cache/ms-playwright'),
      npm_config_cache: join(home, '.npm'),
      npm_config_userconfig: join(home, '.npmrc'),
    })
    assert.deepEqual([PATH, HOME, isThere], [process.env.PATH, join(TMPDIR, 'home'), false])
    assert.ok(TMPDIR.startsWith(join(home, 'baton-')), TMPDIR)
  })

  it('is the one that this test runs in', () => {
    const { ci, noColor, codingAgent, agent, store } = readEnvironment()

    assert.deepEqual(
      [ci, noColor, codingAgent, agent, store],
      [false, false, undefined, undefined, undefined],
    )
    assert.ok(existsSync(process.env.HOME ?? ''), 'run the tests with node scripts/test.mjs')
    assert.equal(process.env.HOME, join(process.env.TMPDIR ?? '', 'home'))
  })
})

describe('the progress of a test run', () => {
  const SUITE = `
    const progress = new runner.Progress('unit', 2)
    const file = (name, type) => progress.see({ type, data: { name, file: name, details: { type: 'test' } } })
    const test = (type) => progress.see({ type: 'test:complete', data: { name: 'x', file: 'a', details: { type } } })
    file('a', 'test:dequeue'); test('test'); test('test'); test('suite'); file('b', 'test:dequeue')
    file('a', 'test:complete'); file('b', 'test:complete')
    progress.end({ passed: 1, failed: 1 })`

  it('is told in plain lines where nobody looks on: the start, how far it is, the result', () => {
    assert.match(
      printed('test-progress.mjs', SUITE),
      /^unit: 2 files …\nunit: 1 of 2 files, 2 tests, 0 s {2}b\nunit: FAILED, 2 files, 2 tests, 0\.\d s\n$/,
    )
  })
})
