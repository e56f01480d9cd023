// One environment for every test process: nothing in it tells who runs the tests, from which shell, or what they configured.
import * as fs from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import * as path from 'node:path'

/**
 * Variables that reach the tests. The first line are the user's own: tests must pass under any of them. The second is
 * the way to npm's registry, the third names what the tests run on, the fourth says how much they try.
 */
const KEPT = [
  /^(?:PATH|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|SystemRoot)$/,
  /^(?:npm_(?!lifecycle|package)\w+|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+)$/i,
  /^(?:TEST_POSTGRES_URL|CHROME_PATH|PLAYWRIGHT_BROWSERS_PATH|LD_LIBRARY_PATH|NODE_COMPILE_CACHE)$/,
  /^(?:BATON_(?:SHARED|VECTORS|LONG_\w+|BENCH_\w+)|MODEL_RUNS|WORKFLOW_WALKS)$/,
]

/**
 * Gives this process, and so every process that it starts, a home and a folder for temporary files of its own.
 * Answers how to remove them.
 */
export function enterOwnEnvironment(root) {
  const { env } = process
  const home = homedir()
  const own = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'baton-')))
  // npm's downloads and settings and Playwright's browsers stay the user's: the tests fetch nothing twice.
  const caches =
    process.platform === 'darwin'
      ? path.join(home, 'Library', 'Caches')
      : env.XDG_CACHE_HOME || `${home}/.cache`
  env.npm_config_cache ??= path.join(home, '.npm')
  env.npm_config_userconfig ??= path.join(home, '.npmrc')
  env.PLAYWRIGHT_BROWSERS_PATH ??= path.join(caches, 'ms-playwright')
  // Each file is a process of its own; what one has compiled the others need not compile again.
  env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules/.cache/compiled')
  for (const name of Object.keys(env)) if (!KEPT.some((kept) => kept.test(name))) delete env[name]

  // Tests that an administrator runs become somebody else, who must get through to the folders below.
  fs.chmodSync(own, 0o711)
  env.TMPDIR = own
  env.HOME = path.join(own, 'home')
  fs.mkdirSync(env.HOME)
  env.GIT_CONFIG_NOSYSTEM = '1'
  return () => {
    try {
      fs.rmSync(own, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      console.error(`${own} could not be removed: ${error.message}`)
    }
  }
}
