import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Env, Hono } from 'hono'
import { packageRoot } from '../../../compose/version.ts'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.md': 'text/markdown; charset=utf-8',
}

/** Scripts and styles are files of this server, and nothing else is asked for anything. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text ever becomes markup or code, whatever a library would do with it.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Addresses of pages: the browser makes them from one file. */
const PAGES = ['/', '/inbox', '/handoffs/:id', '/tasks', '/agents', '/workflows', '/workflows/:id', '/audit']

/** The dashboard, as it was built. It holds no data: what it shows it asks for, with the person's session. */
export function addWeb<E extends Env>(app: Hono<E>, folder: string): void {
  for (const path of PAGES) app.get(path, () => file(folder, 'index.html', 'no-cache'))
  // Programs that collect numbers know this address, too, and do not ask for a page.
  app.get('/metrics', async (c, next) => {
    if (!c.req.header('accept')?.includes('text/html')) return next()
    return file(folder, 'index.html', 'no-cache')
  })
  // The pages of the package's documentation, and their texts, which lie beside the build.
  app.get('/docs/*', ({ req: { path } }) => {
    if (!path.endsWith('.md')) return file(folder, 'index.html', 'no-cache')
    return file(join(folder, '../../docs'), path.slice('/docs/'.length), 'no-cache')
  })
  app.get('/icon.svg', () => file(folder, 'icon.svg', 'max-age=86400'))
  const packed = new Map<string, Uint8Array<ArrayBuffer>>()
  app.get('/assets/:name', async (c) => {
    const name = join('assets', c.req.param('name') ?? '')
    // Their names hold a hash of what is in them.
    const answer = await file(folder, name, 'public, max-age=31536000, immutable')
    if (!answer.ok || !/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return answer
    const bytes = packed.get(name) ?? new Uint8Array(await pack(await answer.arrayBuffer()))
    packed.set(name, bytes)
    answer.headers.set('content-encoding', 'gzip')
    answer.headers.set('vary', 'accept-encoding')
    return new Response(bytes, { headers: answer.headers })
  })
}

/** The dashboard tells a person that its address is mistyped; programs get a problem that they can read. */
export async function missingPage(
  { method, headers, url }: Request,
  folder: string,
): Promise<Response | undefined> {
  const isForPrograms = /^\/(?:v1|mcp)(?:\/|$)/.test(new URL(url).pathname)
  if (method !== 'GET' || isForPrograms || !headers.get('accept')?.includes('text/html')) return undefined
  const { headers: same, body } = await file(folder, 'index.html', 'no-cache')
  return new Response(body, { status: 404, headers: same })
}

const pack = promisify(gzip)

async function file(folder: string, name: string, cache: string): Promise<Response> {
  const path = resolve(folder, name)
  const type = CONTENT_TYPES[extname(path)]
  const isInside = path.startsWith(resolve(folder) + sep)
  const bytes = isInside && type !== undefined ? await readFile(path).catch(() => undefined) : undefined
  if (!bytes) return new Response('There is no such file.\n', { status: 404 })
  return new Response(new Uint8Array(bytes), {
    headers: { 'content-type': type!, 'cache-control': cache, 'content-security-policy': POLICY },
  })
}

/** The folder of the built dashboard: in the package beside the program, in a clone the newest build. */
export function webFolder(): string | undefined {
  const root = packageRoot()
  const places = root ? [join(root, 'dist', 'web'), join(root, 'web', 'dist')] : []
  const built = places.flatMap((place) => {
    const page = statSync(join(place, 'index.html'), { throwIfNoEntry: false })
    return page ? [{ place, at: page.mtimeMs }] : []
  })
  return built.sort((a, b) => b.at - a.at)[0]?.place
}
