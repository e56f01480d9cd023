import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const SRC = resolve(import.meta.dirname, '../../src')
const OWN = 'transports/mcp/'
/** An import that is followed when the file is loaded; types are not. */
const LOADED = /^\s*(?:import|export)\s+(?!type\s)(?:[\w$*\s{},]+?\s*from\s*)?['"]([^'"]+)['"]/gm

describe('the MCP SDK', () => {
  it('is loaded by nothing but what answers MCP, so that no command pays for it', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.ts') && !file.startsWith(OWN) && !/\.(test|contract)\.ts$/.test(file))

    const loading = files.filter((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(LOADED)].some(([, specifier = '']) =>
        /^@modelcontextprotocol\/|(?:^|\/)mcp\/(?:http|stdio|server|calling|prompts|resources)\.ts$/.test(
          specifier,
        ),
      ),
    )

    assert.deepEqual(loading, [])
    assert.ok(files.length > 300)
  })
})
