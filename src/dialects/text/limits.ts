/** The largest real file seen has 31 KB. The YAML reader needs one to two seconds for each megabyte. */
export const MAX_YAML_LENGTH = 1024 * 1024
/** JSON is read natively and far faster; artifacts with data in them may be large. */
export const MAX_JSON_LENGTH = 32 * 1024 * 1024
/** Real handoffs are at most five deep, the schemas beside them ten. What is nested by the thousand ends the reader's stack. */
export const MAX_DEPTH = 64
/** Aliases are how small files grow large; people who write handoffs use one or two. */
export const MAX_ALIASES = 100
/** All values that aliases may add together, so that aliases of aliases stay small too. */
export const MAX_ALIAS_VALUES = 10_000
/** One broken file must not bury the others' findings. */
export const MAX_NOTES = 100
/** Repairs read a text several times over; twice the largest real file is enough. */
export const MAX_REPAIR_LENGTH = 64 * 1024
/** Fences that are open at once; one in another is the most that was seen. */
export const MAX_OPEN_FENCES = 16
/** Blocks in one text. The most seen in one file are 34. */
export const MAX_BLOCKS = 1_000
/** An agent's name is a word, not a sentence. */
export const MAX_AGENT_LENGTH = 64
/** What a message quotes of a value: enough to find it. */
export const MAX_QUOTED = 60
