import { describeKilling, EVERY_CUT } from '../mcp/killing.ts'

describeKilling('postgres', EVERY_CUT)
