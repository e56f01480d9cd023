// Installs what is missing, then runs the npm script named in the first argument on the pinned Node.
// Runs on any Node from 18 up: no dependencies, no TypeScript.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

if (!installed()) await install()
const [script, ...args] = process.argv.slice(2)
const run = npm(['run', '--silent', script, ...(args.length ? ['--', ...args] : [])], 'inherit')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal))
run.on('close', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))

/** Whether the record npm leaves after an install holds what the lock file asks for, by whoever's hand. */
function installed() {
  const record = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(pinned) || !existsSync(record)) return false
  const present = packages(record)
  return Object.entries(packages(join(root, 'package-lock.json'))).every(
    ([path, { version, optional }]) =>
      !path.startsWith('node_modules/') ||
      (present[path] ? present[path].version === version : optional === true),
  )
}

function packages(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages
}

function npm(args, stdio) {
  const path = process.env.npm_execpath
  const options = { cwd: root, stdio }
  return path
    ? spawn(process.execPath, [path, ...args], options)
    : spawn('npm', args, { ...options, shell: process.platform === 'win32' })
}

function install() {
  const started = Date.now()
  const seconds = () => Math.round((Date.now() - started) / 1000)
  const live = process.stderr.isTTY
  const say = (text) => process.stderr.write(live ? `\r\x1b[2K${text}` : `${text}\n`)
  say('Installing what Baton needs to run here, Node 24 included …')
  const tick = live && setInterval(() => say(`Installing what Baton needs to run here … ${seconds()} s`), 500)
  // Without the first two a production or no-scripts setting of the user would leave out Node itself.
  const child = npm(
    ['ci', '--include=dev', '--ignore-scripts=false', '--loglevel=error'],
    ['ignore', 'pipe', 'pipe'],
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return new Promise((done) => {
    child.on('close', (code) => {
      if (tick) clearInterval(tick)
      if (code !== 0 || !existsSync(pinned)) {
        say(
          `${output}\nInstalling failed: check that npm can reach its registry and run the command again.\n`,
        )
        process.exit(1)
      }
      say(`Installed in ${seconds()} s.${live ? '\n' : ''}`)
      done()
    })
  })
}
