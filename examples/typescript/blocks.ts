// The blocks of document 002: its own check, and its words.
import { PHASES, STATUSES, validateHandoff } from 'batonpass'

const block = { phase: PHASES[3], from: '@planner', to: '@codex', status: STATUSES[2] }
validateHandoff(block)

try {
  validateHandoff({ ...block, to: 'codex' })
} catch (error) {
  if (error instanceof Error) console.log(error.message)
}

// Prints:
// Agent name must start with @: codex
