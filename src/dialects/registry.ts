import { block } from './block/index.ts'
import { schemas as blockSchemas } from './block/schema.ts'
import type { Dialect, DialectId } from './dialect.ts'
import { markdown } from './markdown/index.ts'
import { schemas as markdownSchemas } from './markdown/schema.ts'
import { pack } from './package/index.ts'
import { schemas as packageSchemas } from './package/schema.ts'
import { queue } from './queue/index.ts'
import { schemas as queueSchemas } from './queue/schema.ts'
import { writeback } from './writeback/index.ts'
import { schemas as writebackSchemas } from './writeback/schema.ts'

type Schemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const REGISTRY: Readonly<Record<DialectId, Dialect>> = { markdown, queue, block, writeback, package: pack }
/** Made when somebody asks: few commands do. */
const SCHEMAS: Readonly<Record<DialectId, () => Schemas>> = {
  markdown: () => markdownSchemas,
  queue: queueSchemas,
  block: () => blockSchemas,
  writeback: () => writebackSchemas,
  package: () => packageSchemas,
}

export const dialectOf = (id: DialectId): Dialect => REGISTRY[id]

/** JSON Schemas of the strict forms of a dialect, by form: for editors, and stricter than reading is. */
export const schemasOf = (id: DialectId): Schemas => SCHEMAS[id]()

/** How the name of a file ends that holds what a dialect prints: a reader takes the text for what that says. */
// biome-ignore format: read as a table
const ENDINGS: Readonly<Record<DialectId, string>> = {
  markdown:  '.md',
  queue:     '.json',
  block:     '.md',
  writeback: '.json',
  package:   '.yaml',
}

export const endingOf = (id: DialectId): string => ENDINGS[id]
