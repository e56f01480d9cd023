import type { TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import type { Actor } from '../../src/domain/actor.ts'
import type { Service } from '../../src/service/service.ts'
import { Changes } from '../../src/transports/mcp/changes.ts'
import { createMcpServer } from '../../src/transports/mcp/server.ts'
import type { World } from '../../src/transports/mcp/tool-call.ts'
import { parseToolset } from '../../src/transports/mcp/tools.ts'
import { personOnly } from '../../src/workspace/identity.ts'
import { type Agent, toAgent } from './agents.ts'

export interface InsideOptions extends Partial<World> {
  readonly agent?: string
  readonly tools?: string
}

/** An agent whose client and server are in this process, over the workspace of a test. */
export async function inside(
  t: TestContext,
  service: Service,
  { agent = 'codex', tools = 'default', ...world }: InsideOptions = {},
): Promise<Agent> {
  const actor: Actor = { name: agent, kind: 'agent', auth: 'os-user', instance: `test-${agent}` }
  const server = createMcpServer({
    world: {
      service,
      admit: (op) => {
        if (op.peopleOnly) personOnly(actor, op.name)
        return actor
      },
      ...world,
    },
    toolset: parseToolset(tools),
    changes: new Changes(service),
    agent,
  })
  const [here, there] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([server.connect(there), client.connect(here)])
  t.after(() => client.close())
  return toAgent(
    client,
    () => undefined,
    (params) => client.callTool(params),
  )
}
