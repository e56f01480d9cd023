import { describeMany } from '../browser/many.ts'

describeMany({ handoffs: 100_000, isAlone: true })
