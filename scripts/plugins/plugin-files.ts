import { guideSection, SKILL_NAME, skillText } from '../../src/setup/guide-section.ts'
import { type AgentTargetName, hooksOf, serverEntry, targetOf } from '../../src/setup/targets.ts'

const ABOUT = 'Hands work between coding agents and people: inbox, evidence and a log that can be checked'

/** Hooks of a plugin run in every project, so they keep out of folders without a workspace. */
const optionsOf = (name: AgentTargetName) =>
  ({ agent: targetOf(name).agent, proof: false, user: true, root: '', tools: [] }) as const

const serverOf = (name: AgentTargetName) => ({ baton: serverEntry(name, optionsOf(name)) })

const hookFile = (name: AgentTargetName) => ({
  hooks: Object.fromEntries(hooksOf(name, optionsOf(name)).map(({ event, entry }) => [event, [entry]])),
})

/** The plugin of Claude Code with its marketplace, and the extension of Gemini CLI: from the tables of setup. */
export const pluginFiles = (version: string): Readonly<Record<string, unknown>> => ({
  'plugins/.claude-plugin/marketplace.json': {
    name: 'baton',
    description: ABOUT,
    owner: { name: 'The Baton authors' },
    plugins: [{ name: 'baton', source: './claude-code', description: ABOUT }],
  },
  'plugins/claude-code/.claude-plugin/plugin.json': {
    ...{ name: 'baton', version, description: ABOUT, license: 'MIT' },
    author: { name: 'The Baton authors' },
  },
  'plugins/claude-code/.mcp.json': { mcpServers: serverOf('claude-code') },
  'plugins/claude-code/hooks/hooks.json': hookFile('claude-code'),
  'plugins/claude-code/skills/handoff/SKILL.md': skillText('handoff'),
  'plugins/gemini/gemini-extension.json': {
    ...{ name: 'baton', version, description: ABOUT, contextFileName: 'GEMINI.md' },
    mcpServers: serverOf('gemini'),
  },
  'plugins/gemini/hooks/hooks.json': hookFile('gemini'),
  'plugins/gemini/GEMINI.md': guideSection(false),
  [`plugins/gemini/skills/${SKILL_NAME}/SKILL.md`]: skillText(),
})
