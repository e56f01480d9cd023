import { describeProcessRaces } from '../faults/suites.ts'

describeProcessRaces(12)
