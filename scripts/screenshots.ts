// Takes the pictures of the dashboard for the docs: node scripts/screenshots.ts [page …]. The data is our own story.
import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { arrive, openDashboard } from '../test/browser/dashboard.ts'
import { tellStory } from '../test/browser/story.ts'
import { ask } from '../test/support/program/command.ts'

const PERSON = 'maria'
const ROOT = resolve(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'docs', 'screenshots')
const WORKFLOW = join('workflows', 'feature.yaml')

const dashboard = await openDashboard()
try {
  const { where } = dashboard
  const { reviewed } = await tellStory(dashboard, PERSON)
  mkdirSync(dirname(join(where.cwd, WORKFLOW)), { recursive: true })
  copyFileSync(join(ROOT, 'examples', WORKFLOW), join(where.cwd, WORKFLOW))
  const run = await ask<{ id: string }>(where, 'workflow', 'start', 'feature', '--as', 'orchestrator')
  const pages: Readonly<Record<string, string>> = {
    board: '/',
    list: '/list',
    panel: `/list?q=state%3Aopen&open=${reviewed}`,
    inbox: '/inbox',
    new: '/new',
    handoff: `/handoffs/${reviewed}`,
    tasks: '/tasks',
    agents: '/agents',
    workflows: `/workflows/${run.id}`,
    metrics: '/metrics',
    audit: '/audit',
  }
  const wanted = process.argv.slice(2)
  mkdirSync(FOLDER, { recursive: true })
  for (const look of ['light', 'dark', 'phone'] as const) {
    const { page } = await dashboard.open('/', {
      dark: look === 'dark',
      phone: look === 'phone',
      person: PERSON,
    })
    for (const [name, address] of Object.entries(pages)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue
      await arrive(dashboard, page, address)
      const path = join(FOLDER, `${name}-${look}.png`)
      await page.screenshot({ path })
      console.log(`${name}-${look}.png  ${Math.round(statSync(path).size / 1024)} KB`)
    }
  }
} finally {
  await dashboard.close()
}
