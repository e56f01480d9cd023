import { describePassing } from '../mcp/passing.ts'

describePassing(1_000)
