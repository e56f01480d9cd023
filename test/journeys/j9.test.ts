import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { launch } from '../browser/browser.ts'
import { folders } from '../support/documents/folders.ts'
import { cleanEnv } from '../support/program/command.ts'
import { until } from '../support/store/store-units.ts'

const CLONE = resolve(import.meta.dirname, '../..')
const DIALECTS = ['markdown', 'writeback', 'queue', 'block', 'package']

/**
 * A line as a person types it in the clone. Only what others on this machine might use is moved: the folder of the
 * workspace, the home, temporary files and the port.
 */
function typed(t: TestContext, line: string) {
  const place = folders(t)
  const temporary = place.folder('tmp')
  const cwd = place.folder('work')
  const env = {
    TMPDIR: temporary,
    BATON_WORKSPACE: cwd,
    NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    npm_config_update_notifier: 'false',
  }
  const [program = '', ...args] = line.split(' ')
  const child = spawn(program, args, {
    cwd: CLONE,
    env: cleanEnv({ cwd, env }),
    // As a terminal has it: what is typed there goes to all of them.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => signal(child, 'SIGKILL'))
  let shown = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
  const says = async (look: RegExp): Promise<RegExpExecArray> => {
    await until(`it says ${look}, not only:\n${shown}`, () => {
      assert.equal(child.exitCode, null, shown)
      return look.test(shown)
    })
    return look.exec(shown)!
  }
  return { child, says, cwd, temporary }
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-pid!, name)
  } catch {
    // All of them are gone.
  }
}

/** What Ctrl-C does: everything that was started ends, and the terminal is free. */
async function interrupt(child: ChildProcess): Promise<void> {
  signal(child, 'SIGINT')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  await until('all of it has ended', () => {
    try {
      process.kill(-child.pid!, 0)
      return false
    } catch {
      return true
    }
  })
}

describe('J9, sixty seconds', () => {
  it('npm start shows where Baton is, a link that lets in, and how to see it move', async (t) => {
    const { child, says, cwd } = typed(t, 'npm start -- --port 0')

    const [, url = ''] = await says(/Baton is running at (http:\/\/127\.0\.0\.1:\d+)\n/)
    const [link] = await says(/http:\S+#login=\S+/)
    await says(/npm run demo/)
    await says(/Ctrl-C/)
    const browser = await launch()
    t.after(() => browser.close())
    const page = await browser.newPage()
    await page.goto(link)
    await page.getByText('No handoffs yet').waitFor()

    assert.equal(page.url(), `${url}/`)
    assert.ok(existsSync(join(cwd, '.baton')))
    await page.close()
    await interrupt(child)
  })

  it('npm run demo plays five dialects, a failure and a retry, and a gate that is opened in the browser', async (t) => {
    const { child, says, temporary } = typed(t, 'npm run demo -- --pace 0')
    const [link] = await says(/http:\S+#login=\S+/)
    const browser = await launch()
    t.after(() => browser.close())
    const page = await browser.newPage()
    await page.goto(link)

    await says(/it is your turn/)
    await page.getByRole('link', { name: /^Inbox/ }).click()
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByRole('button', { name: 'Send “approve”' }).click()

    await says(/you said yes/)
    const [, handoffs] = await says(/(\d+) handoffs in five dialects/)
    for (const dialect of DIALECTS) await says(new RegExp(`  ${dialect} `))
    await says(/fails: .*\n/)
    await says(/attempt 2/)
    assert.ok(Number(handoffs) >= DIALECTS.length)
    await page.getByRole('link', { name: 'Board' }).click()
    await page.locator('.tile').first().waitFor()
    await page.close()
    await interrupt(child)
    assert.deepEqual(
      readdirSync(temporary).filter((name) => name.startsWith('baton-demo-')),
      [],
    )
  })
})
