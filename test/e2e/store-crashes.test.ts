import { describeCrashes } from '../faults/suites.ts'

describeCrashes(['sqlite', 'postgres'], 25)
