import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { oneLine, plainText, safeJson } from './plain-text.ts'

const HIDDEN =
  '\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2063\u2066\u2067\u2068\u2069\ufe0f\ufeff\ufff9\ufffb'

/** Sequences of ECMA-48 and of terminals in use, and what a reader may see of them. */
const CORPUS: Readonly<Record<string, readonly [text: string, seen: string]>> = {
  'a colour': ['\u001b[31mred\u001b[0m', 'red'],
  'a colour with colons': ['\u001b[38:2::255:0:0mred\u001b[m', 'red'],
  'an 8-bit colour': ['\u009b31mred\u009bm', 'red'],
  'a cleared screen': ['before\u001b[2J\u001b[Hafter', 'beforeafter'],
  'a cursor that goes up and clears the line': ['real\n\u001b[1A\u001b[2Kfake', 'real\nfake'],
  'a private mode': ['\u001b[?1049h\u001b[?25lx', 'x'],
  'a request for the status': ['\u001b[6n\u001b[cx', 'x'],
  'a window operation': ['\u001b[8;1;1tx', 'x'],
  'a sequence with an intermediate': ['\u001b[0 q\u001b(0x', 'x'],
  'a title that ends with BEL': ['\u001b]0;root\u0007x', 'x'],
  'a title that ends with ST': ['\u001b]2;root\u001b\\x', 'x'],
  'an 8-bit title': ['\u009d2;root\u009cx', 'x'],
  'a hyperlink': ['\u001b]8;;https://bad.example\u0007good.example\u001b]8;;\u0007', 'good.example'],
  'the clipboard': ['\u001b]52;c;cm0gLXJmIC8=\u0007x', 'x'],
  'a notification': ['\u001b]9;hello\u0007\u001b]777;notify;a;b\u0007x', 'x'],
  'a device control string': ['\u001bP+q544e\u001b\\x', 'x'],
  'an 8-bit device control string': ['\u0090$q"p\u009cx', 'x'],
  'an application command': ['\u001b_Gf=24;AAAA\u001b\\x', 'x'],
  'a privacy message and a start of string': ['\u001b^pm\u001b\\\u001bXsos\u001b\\x', 'x'],
  'a reset and a saved cursor': ['\u001bc\u001b7\u001b8x', 'x'],
  'a string that never ends': ['\u001b]0;title without an end', '0;title without an end'],
  'a sequence that never ends': ['x\u001b[31', 'x31'],
  'a sequence inside a sequence': ['\u001b\u001b[0m[31mx', '[31mx'],
  'a line that is written over': ['paid 10\rpaid 99', 'paid 10paid 99'],
  backspaces: ['good\b\b\b\bevil', 'goodevil'],
  'line ends of other systems': ['a\r\nb\u2028c\u2029d', 'a\nb\nc\nd'],
  'a direction that is turned round': ['user\u202etxt.exe', 'usertxt.exe'],
  'isolated directions': ['\u2067abc\u2069', 'abc'],
  'zero widths': ['pay\u200bpal\u200d\ufeff', 'paypal'],
  'letters as tags': ['hi\u{e0001}\u{e0069}\u{e006e}\u{e007f}', 'hi'],
  'bytes as variation selectors': ['a\ufe01\u{e0100}\u{e01ef}', 'a'],
  'half a character': ['a\ud800b', 'a\ufffdb'],
}

describe('text of agents', () => {
  it('[T17] loses every byte that controls a terminal and keeps every other', () => {
    const all = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
    const each = [...all].map((byte) => plainText(byte)).join('')

    const isKept = (code: number) =>
      code === 9 || code === 10 || (code >= 32 && code < 127) || (code >= 160 && code !== 173)
    const kept = [...all].filter((byte) => isKept(byte.charCodeAt(0))).join('')
    assert.equal(each, kept)
    assert.match(plainText(all), /^[\t\n -~\u00a0-\u00ff]*$/)
  })

  for (const [name, [text, seen]] of Object.entries(CORPUS))
    it(`shows of ${name} only what is to be read`, () => {
      assert.equal(plainText(text), seen)
    })

  it('never lets a control or a hidden character through, whatever is put together', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '\u001b',
        '\u001b[',
        '\u001b]',
        '\u009b',
        '\u009d',
        '\u0007',
        '\u001b\\',
        '31m',
        '\r',
        '\n',
        ...HIDDEN,
      ),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const seen = plainText(parts.join(''))

        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        assert.doesNotMatch(seen, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
        for (const sign of HIDDEN) assert.equal(seen.includes(sign), false)
        assert.equal(plainText(seen), seen)
      }),
    )
  })

  it('is read in time that grows with its length, also when it is made to be slow', () => {
    const slow = ['\u009d', '\u001b]', '\u001b[0', '\u001b ', '\u0090'].map((part) => part.repeat(200_000))
    const started = performance.now()

    for (const text of slow) plainText(text)

    assert.ok(performance.now() - started < 5_000)
  })

  it('stands on one line where there is only one', () => {
    assert.equal(oneLine('  Add\r\n\trate\u001b[31m limiting \n'), 'Add rate limiting')
  })
})

describe('JSON for a terminal', () => {
  it('means the same and shows no control or hidden character', () => {
    const text = `\u001b[31m\u009b\u007f${HIDDEN}\u{e0041}\u2028é日`

    const json = safeJson({ text })

    assert.deepEqual(JSON.parse(json), { text })
    assert.match(json, /^[ -~é日]*$/)
  })
})
