import { posix } from 'node:path'
import { orElse } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { demandPath } from './names.ts'

export const PROMPTS_FOLDER = 'docs/guides/implementation/task-prompts'

export interface ChecklistItem {
  readonly text: string
  readonly done: boolean
  readonly line: number
}

/** The section of one task in the task-prompts file. */
export interface TaskPrompt {
  /** From the top of the repository. */
  readonly path: string
  readonly title?: string
  /** Ready to paste; absent when the section holds none. */
  readonly prompt?: string
  readonly checklist: readonly ChecklistItem[]
  /** Extraction files that the section refers to. */
  readonly extractions: readonly string[]
}

/** Files of a checkout or of a commit. */
export interface Files {
  /** Names of the files directly in a folder. */
  list(folder: string): Promise<readonly string[]>
  read(path: string): Promise<string | undefined>
}

interface PromptLine {
  readonly text: string
  readonly number: number
  /** Inside a fence, or one of its two ends. */
  readonly fenced: boolean
  /** 1 to 6 where the line is a heading. */
  readonly level: number
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(.*\S)\s*$/
const EXTRACTION = /(?:[\w.-]+\/)*extractions\/[\w./-]+\.md/g
const PROMPT_FENCE = /^\s*(`{3,}|~{3,})\s*([^`]*)$/
const CHECKLIST = /checklist|verification|acceptance|criteria/i
const PROMPT = /prompt/i

/** Finds the file and the section of a task. Undefined: no file. Without `title`: no section in the file. */
export async function findPrompt(files: Files, id: string): Promise<TaskPrompt | undefined> {
  const names = promptFiles(await files.list(PROMPTS_FOLDER), id)
  let first: TaskPrompt | undefined
  for (const name of names) {
    const path = `${PROMPTS_FOLDER}/${name}`
    const text = await files.read(path)
    if (text === undefined) continue
    const found = { path, ...readSection(text, id) }
    if (found.title !== undefined) return found
    first ??= found
  }
  return first
}

/**
 * The files that may hold a task, the likeliest first: its own, then its group's (`p0.1-infrastructure.md` for
 * P0.1.1), then a group further up.
 */
export function promptFiles(names: readonly string[], id: string): readonly string[] {
  const pages = names.filter((name) => /\.md$/i.test(name) && name.toLowerCase() !== 'index.md').sort()
  const found: string[] = []
  for (let group = id.toLowerCase(); group !== ''; group = parent(group))
    for (const name of pages) {
      const stem = name.toLowerCase().slice(0, -3)
      if ((stem === group || stem.startsWith(`${group}-`)) && !found.includes(name)) found.push(name)
    }
  return found
}

const parent = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('.')))

/** The section of a task in the text of a task-prompts file. */
export function readSection(text: string, id: string): Omit<TaskPrompt, 'path'> {
  const lines = toLines(text)
  const heading = lines.find((line) => line.level > 0 && names(line.text, id))
  if (!heading) return { checklist: [], extractions: [] }
  const section = below(lines, heading)
  const own = checklistOf(section)
  const prompt = promptOf(section)
  return {
    title: promptTitle(heading.text, id),
    ...present({ prompt }),
    // A checklist for all tasks of the file stands outside their sections.
    checklist: own.length > 0 ? own : sharedChecklist(lines),
    extractions: extractionsOf(section.map((line) => line.text).join('\n')),
  }
}

function toLines(text: string): readonly PromptLine[] {
  let fence: string | undefined
  return text.split(/\r?\n/).map((line, i) => {
    const mark = PROMPT_FENCE.exec(line)
    const fenced = fence !== undefined || mark !== null
    if (fence === undefined) fence = mark?.[1]
    else if (isEnd(line, fence)) fence = undefined
    const level = fenced ? 0 : (/^#{1,6}(?=\s)/.exec(line)?.[0].length ?? 0)
    return { text: line, number: i + 1, fenced, level }
  })
}

/** Whole, so that P0.1.1 is not found in P0.1.11 or P0.1.1.2. */
function names(heading: string, id: string): boolean {
  const plain = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\w.-])${plain}(?![\\w-]|\\.\\w)`, 'i').test(heading)
}

function promptTitle(heading: string, id: string): string {
  const plain = heading.replace(/^#+\s*/, '').replace(/[*`]/g, '')
  const after = plain.slice(plain.toLowerCase().indexOf(id.toLowerCase()) + id.length)
  return after.replace(/^[\s:\u2013\u2014-]+/, '').replace(/\s*#*\s*$/, '')
}

/** The lines below a heading, up to the next heading of the same or a higher rank. */
function below(lines: readonly PromptLine[], heading: PromptLine): readonly PromptLine[] {
  const rest = lines.slice(lines.indexOf(heading) + 1)
  const end = rest.findIndex((line) => line.level > 0 && line.level <= heading.level)
  return end < 0 ? rest : rest.slice(0, end)
}

const checklistOf = (lines: readonly PromptLine[]): readonly ChecklistItem[] =>
  lines.flatMap((line) => {
    const [, tick, text] = (!line.fenced && ITEM.exec(line.text)) || []
    return text === undefined ? [] : [{ text, done: tick !== ' ', line: line.number }]
  })

function sharedChecklist(lines: readonly PromptLine[]): readonly ChecklistItem[] {
  const heading = lines.find(
    (line) =>
      line.level > 0 && CHECKLIST.test(line.text) && !/\d+\.\d+/.test(line.text) && !isInTask(lines, line),
  )
  return heading ? checklistOf(below(lines, heading)) : []
}

/** Whether a heading stands below one that names a task. */
function isInTask(lines: readonly PromptLine[], heading: PromptLine): boolean {
  let level = heading.level
  for (let i = heading.number - 2; i >= 0 && level > 1; i--) {
    const line = lines[i]!
    if (line.level === 0 || line.level >= level) continue
    if (/\d+\.\d+/.test(line.text)) return true
    level = line.level
  }
  return false
}

/** A fence under a heading about the prompt, else a fence of plain text, else what stands under that heading. */
function promptOf(section: readonly PromptLine[]): string | undefined {
  const heading = section.find((line) => line.level > 0 && PROMPT.test(line.text))
  const under = heading ? below(section, heading) : []
  const fence =
    firstFence(under, () => true) ??
    firstFence(section, (kind) => /^(?:prompt|text|txt|markdown|md|)$/i.test(kind))
  if (fence !== undefined) return fence
  const plain = under
    .map((line) => line.text.replace(/^>\s?/, ''))
    .join('\n')
    .trim()
  return plain === '' ? undefined : plain
}

function firstFence(lines: readonly PromptLine[], wanted: (kind: string) => boolean): string | undefined {
  for (let i = 0; i < lines.length; i++) {
    const mark = lines[i]!.fenced ? PROMPT_FENCE.exec(lines[i]!.text) : null
    if (!mark) continue
    let end = i + 1
    while (end < lines.length && !isEnd(lines[end]!.text, mark[1]!)) end++
    if (wanted(mark[2]!.trim())) {
      const text = lines
        .slice(i + 1, end)
        .map((line) => line.text)
        .join('\n')
        .trim()
      if (text !== '') return text
    }
    i = end
  }
  return undefined
}

const isEnd = (text: string, fence: string): boolean => {
  const mark = PROMPT_FENCE.exec(text)
  return mark !== null && mark[1]!.startsWith(fence) && mark[2]!.trim() === ''
}

/** Paths that lead out of the repository are left out. */
function extractionsOf(text: string): readonly string[] {
  const found = [...text.matchAll(EXTRACTION)].map(([path]) =>
    path.startsWith('.') ? posix.normalize(`${PROMPTS_FOLDER}/${path}`) : path,
  )
  return [...new Set(found)].filter((path) => orElse(() => demandPath(path) === path, false))
}
