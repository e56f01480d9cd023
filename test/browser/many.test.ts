import { describeMany } from './many.ts'

/** More than any page reads at once. */
describeMany(6_000)
