import { describeCrashes } from '../faults/suites.ts'

describeCrashes(['postgres'], 500)
