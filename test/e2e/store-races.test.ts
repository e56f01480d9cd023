import { describeProcessRaces } from '../faults/suites.ts'

describeProcessRaces(20)
