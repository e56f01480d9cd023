import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Package } from '../../domain/handoffs/package.ts'
import { CHOICES, ownOptions } from '../../domain/people/gate.ts'
import type { Asked } from '../../domain/people/people-schema.ts'
import { present } from '../../domain/present.ts'

/** Answers are bounded: the rest is read with the handoff. */
const SHOWN = 20
const SUMMARY_LENGTH = 600

export const isDecision = (need: Handoff['need']): boolean => need === 'gate' || need === 'decision'

export function toAsked({ uid, id, type, gate }: Handoff, travels: Package): Asked {
  const { summary, artifacts = [], validation_request: asked } = travels
  return {
    uid,
    id,
    type: type === 'gate' ? 'gate' : 'escalation',
    ...present({ name: gate?.name, summary: summary?.slice(0, SUMMARY_LENGTH) }),
    artifacts: artifacts.slice(0, SHOWN).map(({ path }) => path),
    items: (asked?.items ?? []).slice(0, SHOWN),
    options: optionsOf(type, asked?.options),
  }
}

/** The three answers with the sender's words for them; an escalation with options of its own has those instead of approve. */
function optionsOf(
  type: Handoff['type'],
  said: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const own = type === 'escalation' ? ownOptions(said) : []
  const usual = Object.entries(CHOICES)
    .filter(([key]) => own.length === 0 || key !== 'approve')
    .map(([key, label]) => [key, said[key] ?? label] as const)
  return Object.fromEntries([...own, ...usual])
}
