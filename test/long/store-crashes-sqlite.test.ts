import { describeCrashes } from '../faults/suites.ts'

describeCrashes(['sqlite'], 500)
