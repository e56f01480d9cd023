import { describeFinalizing } from '../faults/finalizing.ts'

describeFinalizing(['sqlite', 'postgres'], { races: 20, kills: 5 })
