import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds, however serious: by all of its rules, or by one. */
export async function axe(page: Page, rule?: string): Promise<string[]> {
  await page.evaluate(AXE)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rule && { runOnly: [rule] }) })
  // Nobody has described to the compiler what axe is in the page.
  const found: readonly Finding[] = await page.evaluate(
    `axe.run(document, ${options}).then((r) => r.violations)`,
  )
  return found.map(
    ({ id, impact, nodes }) =>
      `${id} (${impact}) at ${nodes.map(({ html }) => html.slice(0, 160)).join('; ')}`,
  )
}
