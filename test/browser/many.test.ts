import { describeMany } from './many.ts'

/** More than any page reads at once. */
describeMany({ handoffs: 6_000, isAlone: false })
