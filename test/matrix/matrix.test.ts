import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Home } from '../../src/domain/home.ts'
import { DRIVERS } from './drivers.ts'
import { RULES } from './rules.ts'
import { type Cell, KINDS, type Rule, SURFACES, type Surface } from './table.ts'
import { actsOf, openWorld, rowsOf, type World } from './world.ts'

/** The acts that a refusal itself leaves in the log. */
const TRACE: Readonly<Partial<Record<Surface, readonly string[]>>> = {
  'file: markdown': ['file.refused'],
  'file: queue': ['file.refused'],
  'file: package': ['file.refused'],
  collect: ['block.record'],
}

const isFile = (surface: Surface): boolean => surface.startsWith('file: ')
/** A block moves the work of its own format alone. */
const homeOn = (surface: Surface, { home = 'native' }: Rule): Home =>
  isFile(surface) ? (surface.slice('file: '.length) as Home) : surface === 'collect' ? 'block' : home

/** The command line repeats the caller in the commands that it names, and adds the words to type. */
const plain = (said: string, { asked: { as } }: Rule): string => said.replaceAll(` --as ${as}`, '')
/** The line or the field that a sentence is about. */
const PLACE = /^(?:line \d+|[\w.]+): /

/** The same situation on every surface. */
async function situation(t: TestContext, surface: Surface, rule: Rule): Promise<World> {
  const { settings, prepare } = rule
  const home = homeOn(surface, rule)
  const world = await openWorld(t, { home, isLive: isFile(surface), ...(settings && { settings }) })
  await prepare?.(world)
  await world.sync()
  return world
}

async function isRefused(t: TestContext, surface: Surface, rule: Rule, cell: Cell & { is: 'refused' }) {
  const { code, sentence } = {
    ...rule,
    ...(cell.code && { code: cell.code }),
    ...(cell.sentence && { sentence: cell.sentence }),
  }
  const world = await situation(t, surface, rule)
  const go = await DRIVERS[surface](t, world, rule, cell)
  const [rows, acts] = [await rowsOf(world), await actsOf(world)]

  const said = await go()

  assert.ok(said, 'nobody refused it')
  const heard = plain(said.sentence, rule)
  const isLonger = surface === 'command line' && heard.startsWith(`${sentence}; `)
  if (heard.replace(PLACE, '') !== sentence && !isLonger) assert.equal(heard, sentence)
  if (said.code !== undefined) assert.equal(said.code, code)
  assert.deepEqual(await rowsOf(world), rows)
  const since = (await actsOf(world)).slice(acts.length)
  assert.deepEqual(since, cell.trace ?? TRACE[surface] ?? [])
}

async function isTaken(
  t: TestContext,
  surface: Surface,
  rule: Rule,
  cell: Cell & { is: 'adopts' | 'answers' | 'open' },
) {
  const world = await situation(t, surface, rule)
  const go = await DRIVERS[surface](t, world, rule, cell)

  const said = await go()

  assert.equal(cell.is === 'open' ? undefined : said?.sentence, undefined)
  await cell.holds(world, rule.sentence)
}

for (const rule of RULES)
  describe(`${rule.kind}: ${rule.rule}`, () => {
    for (const surface of SURFACES) {
      const cell = rule.cells[surface]
      if (cell.is === 'refused')
        it(`is refused by ${surface}, and nothing is left behind`, (t) => isRefused(t, surface, rule, cell))
      else if (cell.is !== 'cannot')
        it(`${cell.is} by ${surface}: ${cell.why}`, (t) => isTaken(t, surface, rule, cell))
    }
  })

describe('the table of rules and surfaces', () => {
  it('has a cell for every rule and surface', () => {
    for (const { rule, cells } of RULES)
      for (const surface of SURFACES) {
        const cell = cells[surface]
        assert.ok(cell, `${rule}: ${surface} is empty`)
        if ('why' in cell) assert.match(cell.why ?? 'Refused.', /^[A-Z].*\.$/, `${rule}: ${surface}`)
      }
  })

  it('has at least two rules of every kind, each refused by every surface that takes calls', () => {
    for (const kind of KINDS) assert.ok(RULES.filter((rule) => rule.kind === kind).length >= 2, kind)
    const calls = ['command line', 'MCP', 'HTTP', 'TypeScript'] as const
    for (const { rule, cells } of RULES)
      for (const surface of calls) assert.equal(cells[surface].is, 'refused', `${rule}: ${surface}`)
  })
})
