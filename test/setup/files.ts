import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Every file below a folder with its bytes and permissions, but for git's own and Baton's. */
export function snapshot(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/^\.(?:git|baton)(?:\/|$)/.test(name)) continue
    const stats = lstatSync(join(root, name))
    found[name] = stats.isDirectory()
      ? 'folder'
      : `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(root, name), 'latin1')}`
  }
  return found
}

export function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

export const textOf = (root: string, name: string): string => readFileSync(join(root, name), 'utf8')

export const PROGRAMS = [
  'claude-code',
  'codex',
  'gemini',
  'copilot',
  'opencode',
  'qwen',
  'cursor',
  'vscode',
] as const
export type Program = (typeof PROGRAMS)[number]

const SETTINGS: Readonly<Record<Program, readonly string[]>> = {
  'claude-code': ['.mcp.json', '.claude/settings.json', '.claude/settings.local.json'],
  codex: ['.codex/hooks.json'],
  gemini: ['.gemini/settings.json'],
  copilot: ['.github/mcp.json', '.github/hooks/baton.json'],
  opencode: ['opencode.json'],
  qwen: ['.qwen/settings.json'],
  cursor: ['.cursor/mcp.json', '.cursor/hooks.json'],
  vscode: ['.vscode/mcp.json'],
}
const GUIDES: Readonly<Record<Program, string>> = {
  'claude-code': 'CLAUDE.md',
  codex: 'AGENTS.md',
  gemini: 'GEMINI.md',
  copilot: 'AGENTS.md',
  opencode: 'AGENTS.md',
  qwen: 'QWEN.md',
  cursor: 'AGENTS.md',
  vscode: 'AGENTS.md',
}

/** The files that a program reads, as people may have them already. */
export function startingFiles(
  program: Program,
  json: string,
  markdown: string,
  toml: string,
): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(SETTINGS[program].map((file) => [file, json])),
    [GUIDES[program]]: markdown,
    ...(program === 'codex' && { '.codex/config.toml': toml }),
  }
}
