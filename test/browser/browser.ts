import { existsSync } from 'node:fs'
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

async function launchPackaged(): Promise<Browser> {
  // The package unpacks the libraries that it needs only where it believes to be in such a place.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x'
  const { default: packaged } = await import('@sparticuz/chromium')
  const executablePath = await packaged.executablePath()
  // One process for everything mixes up who is logged in where, but some containers allow no more than that.
  const several = packaged.args.filter((each) => !UNLIKE_A_BROWSER.has(each))
  const browser = await chromium.launch({ ...options(several), executablePath }).catch(() => undefined)
  const page = await browser?.newPage().catch(() => undefined)
  await page?.close()
  if (browser && page) return browser
  await browser?.close()
  return chromium.launch({ ...options(packaged.args), executablePath })
}

/** Containers have neither the rights for a sandbox nor much shared memory. */
const options = (args: readonly string[] = []): LaunchOptions => ({
  args: [...args, '--disable-dev-shm-usage', '--disable-gpu'],
  chromiumSandbox: false,
})
