import { join } from 'node:path'
import type { StoreTarget } from '../../src/compose/main.ts'
import type { Engine } from '../support/program/workspace.ts'
import { newPostgresPlace } from '../support/store/store-places.ts'

/** A store of this engine for each side of the walks. */
export const newTargets =
  (engine: Engine) =>
  (name: string, folder: string): StoreTarget =>
    engine === 'sqlite'
      ? { engine, path: join(folder, `${name}.db`) }
      : (newPostgresPlace().target as StoreTarget)
