import { type Actor, AGENT_NAME } from '../../../../domain/actor.ts'
import { BatonError, conflict } from '../../../../domain/errors.ts'
import { enrolKey } from '../../../../service/agents/enrolment.ts'
import type { AgentKey } from '../../../../service/agents/signature.ts'
import { openAgentKeys } from '../../../../workspace/agent-keys.ts'
import type { Command } from '../../command.ts'
import { flag, isOn } from '../../input/args.ts'
import { demandYes, personHere } from '../../prompt.ts'
import type { Shell } from '../../shell.ts'

/** The key stays with the user whose processes speak for the agent; the workspace knows its public part. */
export const key: Command = {
  name: 'agent key',
  summary:
    'Makes a key for an agent, so that its records are signed here; the workspace learns its public part.',
  words: ['name'],
  flags: [flag('replace', 'Give it another key than it has (people only)')],
  examples: ['baton agent key codex --as codex', 'baton agent key codex --replace'],
  async run(shell, args) {
    const name = agentNameIn(args.words)
    const { service, actor: caller } = await shell.openLocal({ write: true })
    if (shell.io.env.codingAgent !== undefined && caller.kind === 'human')
      await personHere(shell.io, caller, 'agent key', 'a key of a person')
    const keys = openAgentKeys(shell.io.env)
    const { origin } = service.deps.store.info
    const known = (await service.agents.list()).find((agent) => agent.name === name)?.key
    const replace = isOn(args, 'replace') && known !== undefined
    const actor = replace ? await asPerson(shell, caller, name) : caller
    const own = await keys.key(origin, name)
    if (known && !replace && own?.id !== known.id) throw elsewhere(name, known.id, own)
    const made = await keys.makeKey(origin, name, { replace: replace && own?.id === known.id })
    const agent = await enrolKey(service.deps, { actor }, name, made)
    const { id, file, public: publicKey } = made
    shell.answer({ agent: name, kid: id, public_key: publicKey, file, since: agent.key?.since }, () => {
      const what = known?.id === id ? 'has its key here' : 'signs its records here from now on'
      return `${shell.screen.tick} ${name} ${what}: key ${id}, in ${file}`
    })
  },
}

async function asPerson({ io }: Shell, caller: Actor, name: string): Promise<Actor> {
  const actor = await personHere(io, caller, 'agent key --replace')
  const refusal = `${name} keeps its key: it was not confirmed`
  await demandYes(io, `Give ${name} another key?`, refusal, { agent: name })
  return actor
}

const elsewhere = (name: string, kid: string, own: AgentKey | undefined): BatonError =>
  conflict(
    `${name} has the key ${kid}, which is not here${own ? ` (${own.file} is ${own.id})` : ''}. Copy its file from the other machine, or let a person replace it: baton agent key ${name} --replace`,
    { agent: name, kid },
  )

function agentNameIn([word = '']: readonly string[]): string {
  const name = word.trim().replace(/^@/, '').toLowerCase()
  if (AGENT_NAME.test(name)) return name
  throw new BatonError('invalid_input', `agent key needs one name; for example: ${key.examples[0]}`)
}
