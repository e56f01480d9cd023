import { describeRules } from '../matrix/matrix.ts'
import { RULES } from '../matrix/rules.ts'

describeRules(RULES, 'postgres')
