import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Happened } from '../../src/folders/work.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, type Where } from '../support/program/command.ts'

export type Json = Record<string, unknown>
export type Place = 'pending' | 'in-progress' | 'completed' | 'failed'
export const PLACES: readonly Place[] = ['pending', 'in-progress', 'completed', 'failed']

export interface QueueFolder {
  readonly where: Where
  readonly root: string
  sync(): Promise<readonly Happened[]>
  /** A request as a program without Baton writes it. */
  request(id: string, more?: Json): Json
  /** Puts a file there, as such a program does. */
  put(place: Place, id: string, value: unknown): void
  json(path: string): Json
  file(place: Place, id: string): Json
  write(path: string, text: string): void
  has(path: string): boolean
  move(id: string, from: Place, to: Place): void
  /** Where the files of a handoff lie. */
  placesOf(id: string): readonly Place[]
  names(place: Place): readonly string[]
  show(id: string): Promise<{
    state: string
    attempt: number
    error?: { code: string; message: string }
    from: string
    to: string
    holder?: string
    attempts: { holder: string }[]
  }>
}

export const REACT = { agent_id: '@react-specialist', phase: 13, agent_type: 'specialist' }
export const FRONTEND = { agent_id: '@frontend-specialist', phase: 11, agent_type: 'orchestrator' }

/** A project whose handoffs live in `handoffs/`, as `baton init --dialect queue` makes it. */
export async function aQueueFolder(
  t: { after(clean: () => void): void },
  config: (text: string) => string = (text) => text,
): Promise<QueueFolder> {
  const root = folders(t).repository('project')
  await ask({ cwd: root }, 'init', '--dialect', 'queue')
  const yaml = join(root, 'baton.yaml')
  writeFileSync(yaml, config(readFileSync(yaml, 'utf8')))
  const folder = queueFolderAt(root)
  await folder.sync()
  return folder
}

export function queueFolderAt(root: string, base = ''): QueueFolder {
  const where = { cwd: root }
  const at = (path: string): string => join(root, base, path)
  const pathOf = (place: Place, id: string): string => at(`handoffs/${place}/${id}.json`)
  const json = (path: string): Json => JSON.parse(readFileSync(at(path), 'utf8'))
  return {
    where,
    root,
    sync: async () => (await ask<{ happened: Happened[] }>(where, 'folders', 'sync')).happened,
    request: (id, more = {}) => ({
      handoff_id: id,
      timestamp: '2026-01-13T10:00:00.123456Z',
      status: 'pending',
      source: FRONTEND,
      target: REACT,
      context: { project_id: 'proj-001', tech_stack: { framework: 'React', version: '18.2' } },
      input: {
        schema: 'react-specialist.input.schema.json',
        data: { component_requirements: [{ name: 'TestComponent', type: 'functional', props: {} }] },
      },
      timeout_seconds: 300,
      ...more,
    }),
    put(place, id, value) {
      mkdirSync(dirname(pathOf(place, id)), { recursive: true })
      writeFileSync(
        pathOf(place, id),
        typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
      )
    },
    json,
    file: (place, id) => json(`handoffs/${place}/${id}.json`),
    write(path, text) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
    },
    has: (path) => existsSync(at(path)),
    move: (id, from, to) => renameSync(pathOf(from, id), pathOf(to, id)),
    placesOf: (id) => PLACES.filter((place) => existsSync(pathOf(place, id))),
    names: (place) =>
      readdirSync(at(`handoffs/${place}`))
        .filter((name) => !name.startsWith('.'))
        .sort(),
    show: async (id) => (await ask<{ handoff: never }>(where, 'show', id)).handoff,
  }
}

/** What document 001's own code adds to a file when the work is done. */
export function response(request: Json, more: Json = {}): Json {
  return {
    ...request,
    status: 'completed',
    completed_at: '2026-01-13T10:05:32.000001Z',
    output: {
      artifact_id: 'artifact-react-comp-1',
      artifact_path: 'artifacts/phase-13-react/artifact-react-comp-1.json',
      artifact_type: 'react-components',
      schema_compliance: 'valid',
    },
    validation: {
      status: 'passed',
      typescript_errors: 0,
      eslint_warnings: 0,
      tests_passing: true,
      coverage_percentage: 87,
    },
    ...more,
  }
}

export const failure = (request: Json, message: string, code = 'PROCESSING_ERROR'): Json => ({
  ...request,
  status: 'failed',
  failed_at: '2026-01-13T10:05:32.000001Z',
  error: { code, message, severity: 'error', timestamp: '2026-01-13T10:05:32.000001Z' },
  retry_available: true,
  retry_count: 0,
})

export const artifact = (folder: QueueFolder): void =>
  folder.write('artifacts/phase-13-react/artifact-react-comp-1.json', '{"files": ["TestComponent.tsx"]}\n')

export const isUtc = (value: unknown): void =>
  assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)
