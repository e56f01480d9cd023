// The least that an MCP server over standard input and output can be: one tool that answers what it was given.
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

serveStdio(() => {
  const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'echo', inputSchema: { type: 'object' as const } }],
  }))
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
    structuredContent: params.arguments ?? {},
  }))
  return server
})
