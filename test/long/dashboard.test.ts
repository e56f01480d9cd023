import { describeMany } from '../browser/many.ts'

describeMany(100_000)
