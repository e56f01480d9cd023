import type { Env, Hono } from 'hono'
import { BatonError } from '../../../domain/errors.ts'
import type { Service } from '../../../service/service.ts'
import { SESSION_COOKIE, sessionCookie } from './auth.ts'
import { bodyOf } from './input.ts'

/** A code is shorter than this by far. */
const MAX_BODY_BYTES = 1_000

/**
 * How a person comes into the dashboard. The code travels behind the `#` of an address, which browsers send to nobody;
 * the page puts it into the body of a request, and the session that it is exchanged for into a cookie that no script
 * can read.
 */
export function addLogin<E extends Env>(app: Hono<E>, service: Service): void {
  app.post('/v1/session', async (c) => {
    const { code } = await bodyOf(c.req.raw, MAX_BODY_BYTES)
    const begun = typeof code === 'string' ? await (await service.tokens()).beginSession(code) : undefined
    if (!begun)
      throw new BatonError(
        'unauthenticated',
        'this code is unknown, used or too old; get a new one with: baton login',
      )
    c.header('set-cookie', cookie(begun.secret, begun.token.expires_at, c.req.raw))
    return c.json({ agent: begun.token.agent, expires_at: begun.token.expires_at })
  })
  app.post('/v1/session/end', async (c) => {
    const secret = sessionCookie(c.req.raw.headers)
    const token = secret === undefined ? undefined : await (await service.tokens()).authenticate(secret)
    if (token)
      await (await service.tokens()).revoke(
        { actor: { name: token.agent, kind: 'human', auth: 'token' } },
        token.uid,
      )
    c.header('set-cookie', `${SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`)
    return c.json({})
  })
}

function cookie(secret: string, expires: string | undefined, request: Request): string {
  // Behind a proxy with TLS the browser's origin says so; on this machine TLS cannot be demanded.
  const secure = request.headers.get('origin')?.startsWith('https:') ? '; Secure' : ''
  const until = expires === undefined ? '' : `; Expires=${new Date(expires).toUTCString()}`
  return `${SESSION_COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Strict${secure}${until}`
}
