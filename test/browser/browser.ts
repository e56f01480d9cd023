import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const INSTALLED: Readonly<Record<string, readonly string[]>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/snap/bin/chromium',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
}

/** The first Chromium that starts: named by CHROME_PATH, downloaded by Playwright, installed, or of the npm package. */
export async function launch(): Promise<Browser> {
  const tried: string[] = []
  for (const executablePath of candidates()) {
    try {
      return await chromium.launch({ ...options(), executablePath })
    } catch (error) {
      tried.push(`${executablePath}: ${String(error).split('\n')[0]}`)
    }
  }
  if (process.platform === 'linux' && process.arch === 'x64') return launchPackaged()
  throw new Error(
    `No Chromium starts here; set CHROME_PATH or run: npx playwright-core install chromium\n${tried.join('\n')}`,
  )
}

function candidates(): readonly string[] {
  const known = [process.env.CHROME_PATH, chromium.executablePath(), ...(INSTALLED[process.platform] ?? [])]
  return known.filter((path) => path !== undefined && path !== '' && existsSync(path)) as string[]
}

/** What the package asks for and nobody's browser has: without the second, pages of others may read everything. */
const UNLIKE_A_BROWSER = new Set(['--single-process', '--disable-web-security'])

const MODULES = resolve(import.meta.dirname, '../../node_modules')
const PACKAGE = '@sparticuz/chromium'
/** The package unpacks the libraries that it needs only where it believes to be in such a place. */
const LAMBDA = { AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' }

async function launchPackaged(): Promise<Browser> {
  // The package takes a half of it for the whole, and a program in a folder that all users share for its own.
  const { TMPDIR } = process.env
  Object.assign(process.env, LAMBDA, { TMPDIR: unpacked() })
  const { default: packaged } = await import('@sparticuz/chromium')
  const executablePath = await packaged.executablePath()
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  // One process for everything mixes up who is logged in where, but some containers allow no more than that.
  const several = packaged.args.filter((each) => !UNLIKE_A_BROWSER.has(each))
  const browser = await chromium.launch({ ...options(several), executablePath }).catch(() => undefined)
  const page = await browser?.newPage().catch(() => undefined)
  await page?.close()
  if (browser && page) return browser
  await browser?.close()
  return chromium.launch({ ...options(packaged.args), executablePath })
}

/** The folder with the browser of the package, unpacked once for this clone. */
function unpacked(): string {
  const { version } = JSON.parse(readFileSync(join(MODULES, PACKAGE, 'package.json'), 'utf8'))
  const place = join(MODULES, '.cache', `chromium-${version}`)
  if (existsSync(place)) return place
  mkdirSync(join(MODULES, '.cache'), { recursive: true })
  const making = mkdtempSync(`${place}-`)
  const unpack = `import('${PACKAGE}').then((all) => all.default.executablePath())`
  const { status, stderr } = spawnSync(process.execPath, ['--eval', unpack], {
    cwd: MODULES,
    encoding: 'utf8',
    env: { ...process.env, ...LAMBDA, TMPDIR: making },
  })
  try {
    if (status !== 0) throw new Error(`${PACKAGE} cannot be unpacked: ${stderr}`)
    writeFileSync(join(making, 'fonts/fonts.conf'), fontsIn(join(place, 'fonts/fonts')))
    // Another process may have been faster; then its copy is as good.
    if (!existsSync(place)) renameSync(making, place)
    return place
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** The package names /tmp/fonts, which is not where they are; Chromium ends at the first input without a font. */
const fontsIn = (folder: string): string =>
  `<fontconfig><dir>${folder.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>\n`

/** Containers have neither the rights for a sandbox nor much shared memory. */
const options = (args: readonly string[] = []): LaunchOptions => ({
  args: [...args, '--disable-dev-shm-usage', '--disable-gpu'],
  chromiumSandbox: false,
})
