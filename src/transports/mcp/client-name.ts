import type { Server, ServerContext } from '@modelcontextprotocol/server'

/** The names that programs give themselves as clients, each with its agent and the target of `baton setup`. */
// biome-ignore format: read as a table
const CLIENTS = [
  ['claude-code',           'claude',   'claude-code'],
  ['codex-mcp-client',      'codex',    'codex'],
  ['gemini-cli-mcp-client', 'gemini',   'gemini'],
  ['copilot-cli',           'copilot',  'copilot'],
  ['opencode',              'opencode', 'opencode'],
  ['qwen-cli-mcp-client',   'qwen',     'qwen'],
  ['cursor-vscode',         'cursor',   'cursor'],
  ['Visual Studio Code',    'copilot',  'vscode'],
] as const

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'

/** The name of the client: said once at the start of a connection, or with each call. */
export function clientOf(server: Server, { mcpReq }: ServerContext): string | undefined {
  const name: unknown = server.getClientVersion()?.name ?? Object(Object(mcpReq.envelope)[CLIENT_INFO]).name
  return typeof name === 'string' ? name : undefined
}

/**
 * A program that acts under the name of another one, because it reads that one's settings. A team may give its agents
 * any other name.
 */
export function strangeName(agent: string, client = ''): { doubt: string; told: string } | undefined {
  const [name, own, target] = CLIENTS.find(([known]) => client.startsWith(known)) ?? []
  if (name === undefined || own === agent || !CLIENTS.some((known) => known[1] === agent)) return undefined
  return {
    doubt: `the client calls itself ${name}`,
    told: `Baton: this program calls itself ${name} and acts as ${agent} here. The log says so. A person can connect it under its own name: baton setup ${target}`,
  }
}
