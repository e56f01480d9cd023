import { PHASES } from '../../domain/blocks/phases.ts'

/** Name of the definition that every workspace has: document 002's eight phases. */
export const PHASES_NAME = 'phases'

const AGENTS: Readonly<Record<(typeof PHASES)[number], string>> = {
  Research: 'research-agent',
  Planning: 'planning-agent',
  Infrastructure: 'infrastructure-agent',
  Implementation: 'implementation-agent',
  Testing: 'testing-agent',
  Integration: 'integration-agent',
  QA: 'qa-agent',
  Complete: 'delivery-agent',
}

const RULES: Readonly<Partial<Record<(typeof PHASES)[number], readonly string[]>>> = {
  Planning: ['gate: { name: plan, items: [The plan answers the question, The risks are named] }'],
  Testing: ['on_failure: { retry: 2, route_to: implementation-agent, escalate_after: 3 }'],
  QA: ['on_failure: { retry: 1, route_to: implementation-agent }'],
}

/** The text of that definition, for a file to change or to start as it is. */
export const phasesText = (): string =>
  `${[
    "# Eight phases, one after the other. Put your agents' names in.",
    `name: ${PHASES_NAME}`,
    'description: From research to delivery, phase by phase.',
    'steps:',
    ...PHASES.flatMap((phase) => [
      `  - id: ${phase.toLowerCase()}`,
      `    title: ${phase}`,
      `    agent: ${AGENTS[phase]}`,
      `    phase: ${phase}`,
      ...(RULES[phase] ?? []).map((rule) => `    ${rule}`),
    ]),
  ].join('\n')}\n`
