import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { catalogTexts, sourceTexts, type Text, textsIn } from './support/texts.ts'

interface Rule {
  readonly breaks: (text: string, place: string) => boolean
  /** A text that breaks the rule, and its remedy. */
  readonly wrong: string
  readonly right: string
}

const OPENING =
  /(?:^|[.;:!] |\n)(?:[Ww]ho(?:m|ever)?|[Ww]hat(?:ever)?|[Ww]here(?:ver)?|[Tt]hose)\b(?![^.]*\?)/
const INSIDE = /\bwhoever\b|\bthose (?:that|who)\b/
const RARE = new RegExp(
  [
    'happenings?',
    'silen(?:ce(?!:)|t)',
    'signs? of life',
    'give a text',
    'commas between',
    'called so',
    'said nowhere',
    'the same with',
    'unless said',
    'taken in(?! (?:a|the) )',
    'anew',
    'mend(?:s|ed|ing)?',
  ]
    .map((word) => `\\b${word}\\b`)
    .join('|'),
  'i',
)
/** Rooms in which somebody uses the format that the word belongs to. */
const ROOMS: readonly (readonly [word: RegExp, rooms: RegExp])[] = [
  [/\b[Dd]ocuments? 00\d/, /^$/],
  [/\bhomes?\b(?! folder| directory)/, /^$/],
  [
    /\bthought_record|\b[Ww]riteback/,
    /writeback|^src\/(?:domain|service)\/(?:tasks|audit)\/|^src\/operations\/(?:audit|task|document)|^src\/git\/|^src\/dialects\/|cli\/commands\/(?:task|documents)\/|^(?:thought|task|merkle|audit|document)[_ ]|^(?:export|convert|init|import)\b|config\/(?:schema|template)|workspace\/init|transports\/hooks/,
  ],
]
const LONGEST = 20

const RULES: Readonly<Record<string, Rule>> = {
  'says "is not a" or "has no", never "is no"': {
    breaks: (text) => /(?<!\b[Tt]here )\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more)\b)/.test(text),
    wrong: 'x is no task id',
    right: 'x is not a task id; there is no task x',
  },
  'says "cannot" or "does not have", never "which it has not"': {
    breaks: (text) => /\b(?:has|have) not(?=[;.,:)]|$)/.test(text),
    wrong: 'is a symbol, which JSON has not; give a string',
    right: 'is a symbol, which JSON cannot represent; use a string',
  },
  'names its subject first, without "who", "what" or "those that" in its place': {
    breaks: (text) => OPENING.test(text) || INSIDE.test(text),
    wrong: 'What went wrong',
    right: 'The error message. What do you want to know?',
  },
  'uses ordinary words': {
    breaks: (text) => RARE.test(text),
    wrong: 'ended it after silence',
    right: 'ended it after a timeout',
  },
  'names a format only where that format is used': {
    breaks: (text, place) => ROOMS.some(([word, rooms]) => word.test(text) && !rooms.test(place)),
    wrong: 'document 000 also needs --task',
    right: 'the markdown format also needs --task',
  },
  [`has at most ${LONGEST} words in a sentence`]: {
    breaks: (text) => longestSentence(text) > LONGEST,
    wrong: `x ${'word '.repeat(LONGEST)}`,
    right: `x${' word'.repeat(LONGEST - 1)}. Then run: baton agent add … --kind human --capability a --capability b`,
  },
  'uses the verbs that people type': {
    breaks: (text) =>
      /\b(?:may not|cannot) (?:claim|complete|refuse)\b|\b(?:claim|complete|refuse) needs\b/.test(text),
    wrong: 'gemini may not claim HO-2026-001',
    right: 'gemini may not accept HO-2026-001',
  },
}

function longestSentence(text: string): number {
  const lengths = text
    .split(/(?<=[.!?])\s+|\n/)
    // A command to type is one thing in its sentence.
    .map((sentence) => sentence.replace(/\bbaton [a-z-]+(?: [^,;)]*)?/g, 'baton'))
    .map((sentence) => sentence.trim().split(/\s+/).length)
  return Math.max(...lengths)
}

/** Sentences that a requirement quotes, word for word. */
const QUOTED: Readonly<Record<string, string>> = {
  'S3-71': 'Writeback required: thought_record must be recorded before task completion.',
  'S3-73': 'Writeback failed: unable to insert thought_record. Retry with fresh DB connection or escalate.',
}
/** A heading that people write into documents. */
const HEADING = 'what needs to be done'
/** Files whose texts are written for agents and pages. Only their refusals are read here. */
const INSTRUCTIONS =
  /^src\/(?:transports\/(?:hooks|http\/pages|mcp\/(?:prompts|server|resources))|setup\/guide-section)/

describe('a text that people read', () => {
  let texts: readonly Text[] = []
  before(async () => {
    const read = [...sourceTexts(), ...(await catalogTexts())]
    texts = read.filter(({ place, isRefusal }) => isRefusal || !INSTRUCTIONS.test(place))
  })

  it('is read wherever it is written', () => {
    assert.ok(texts.filter(({ isRefusal }) => isRefusal).length > 400)
    assert.ok(texts.filter(({ place }) => !place.startsWith('src/')).length > 400)
    for (const quoted of Object.values(QUOTED)) assert.ok(texts.some(({ text }) => text === quoted))
    assert.deepEqual(
      textsIn('a.ts', `throw new BatonError('x', \`\${a} is no \${b ? 'task id' : 'x'}\`) // no text`),
      [
        { place: 'a.ts:1', text: '… is no …', isRefusal: true },
        { place: 'a.ts:1', text: 'task id', isRefusal: true },
      ],
    )
  })

  for (const [name, { breaks, wrong, right }] of Object.entries(RULES))
    it(name, () => {
      assert.equal(breaks(wrong, 'src/a.ts'), true)
      assert.equal(breaks(right, 'src/a.ts'), false)
      const quoted = [...Object.values(QUOTED), HEADING]
      const broken = texts
        .filter(({ text, place }) => !quoted.includes(text) && breaks(text, place))
        .map(({ place, text }) => `${place}: ${text}`)
      assert.equal(broken.length, 0, broken.join('\n'))
    })
})
