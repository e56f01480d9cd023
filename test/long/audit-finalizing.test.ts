import { describeFinalizing } from '../faults/finalizing.ts'

describeFinalizing(['sqlite', 'postgres'], { races: 200, kills: 200 })
