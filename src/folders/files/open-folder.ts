import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type BatonError, notAllowed } from '../../domain/errors.ts'

/** A folder that is held open, so that nobody can put a link in its place while it is used. */
export interface Folder {
  readonly path: string
  at(name: string): string
}

/** Linux shows an open folder under this name; what is below it is the folder itself, whatever its path leads to now. */
const DESCRIPTORS = '/proc/self/fd'
const HELD = lstatSync(DESCRIPTORS, { throwIfNoEntry: false }) !== undefined

/** Runs with a folder below a real root, without following a link. Undefined where it is not there and need not be made. */
export function withFolder<T>(
  root: string,
  folder: string,
  use: (dir: Folder) => T,
  make = false,
): T | undefined {
  const at = openedAtOnce(root, folder) ?? openedInSteps(root, folder, make)
  if (at === undefined) return undefined
  try {
    return use({ path: at.path, at: (name) => `${at.path}/${name}` })
  } finally {
    closeSync(at.descriptor)
  }
}

interface OpenedFolder {
  readonly descriptor: number
  readonly path: string
}

function opened(path: string): OpenedFolder {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return { descriptor, path: HELD ? `${DESCRIPTORS}/${descriptor}` : path }
}

/** The system says where an open folder lies: where that is its path to the letter, no link led there. */
function openedAtOnce(root: string, folder: string): OpenedFolder | undefined {
  if (!HELD || folder === '') return undefined
  let at: OpenedFolder
  try {
    at = opened(`${root}/${folder}`)
  } catch {
    // The steps say what stands in the way.
    return undefined
  }
  if (readlinkSync(at.path) === `${root}/${folder}`) return at
  closeSync(at.descriptor)
  return undefined
}

function openedInSteps(root: string, folder: string, make: boolean): OpenedFolder | undefined {
  let at = opened(root)
  try {
    for (const name of folder === '' ? [] : folder.split('/')) {
      if (name === '' || name === '.' || name === '..') throw notWithin(folder)
      const below = join(at.path, name)
      let next = openedOrAbsent(below, folder)
      if (next === undefined && make) {
        makeOne(below)
        next = openedOrAbsent(below, folder)
      }
      closeSync(at.descriptor)
      if (next === undefined) return undefined
      at = next
    }
    return at
  } catch (error) {
    closeSync(at.descriptor)
    throw error
  }
}

function openedOrAbsent(path: string, folder: string): OpenedFolder | undefined {
  try {
    return opened(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP' || code === 'ENOTDIR')
      throw notAllowed(
        `${folder} is a link or not a folder, and Baton does not follow links; put a folder in its place`,
        { folder },
        error,
      )
    throw error
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const notWithin = (folder: string): BatonError =>
  notAllowed(`${JSON.stringify(folder)} is not a folder below the project`, { folder })
