// The page: takes the files, asks the same levels as the command, and shows what they found.
import { readRemembered, verifyExport } from '../../src/audit/levels/index.ts'
import { plainSha256 } from '../../src/audit/sha256.ts'

const PIECE = 1 << 20
const MARKS = { ok: '✓', failed: '✗', unverifiable: '?', not_asked: '–', nothing: '–' }
/** The command names its options; here there are fields. */
const NOT_ASKED = {
  L2: 'not asked for: paste a checkpoint that you kept, above',
  L3: 'not asked for: the command compares witnesses with a policy of yours',
}
const HEADINGS = {
  ok: 'Everything that was checked is as it was written.',
  tampered: 'This log is not what was written, or not all of it.',
  unverifiable: 'This cannot be verified.',
}

const platform = {
  sha256: plainSha256,
  async isSigned(key, message, signature) {
    const known = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify'])
    return crypto.subtle.verify({ name: 'Ed25519' }, known, signature, message)
  },
}

/** The files by their names within the export: the one folder that holds a file `checkpoint`. */
function exportOf(files) {
  const root = [...files.keys()]
    .filter((name) => /(^|\/)checkpoint$/.test(name))
    .sort((a, b) => a.length - b.length)[0]
  const prefix = root === undefined ? '' : root.slice(0, -'checkpoint'.length)
  const own = new Map(
    [...files].flatMap(([name, file]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), file]] : [],
    ),
  )
  return {
    names: async () => [...own.keys()],
    read: async (name, most) => {
      const file = own.get(name)
      return file && file.size <= most ? new Uint8Array(await file.arrayBuffer()) : undefined
    },
    chunks: (name) => own.get(name) && pieces(own.get(name)),
  }
}

async function* pieces(file) {
  for (let at = 0; at < file.size; at += PIECE)
    yield new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer())
}

/** Verifies files (name to Blob) with what somebody knows of the log. */
async function verifyFiles(files, { vkey = '', seen = '' } = {}, tell = () => undefined) {
  const remembered = seen.trim() === '' ? undefined : readRemembered(`${seen.trim()}\n`)
  if (seen.trim() !== '' && !remembered)
    throw new Error('What you remember is not a checkpoint: paste all of it.')
  return verifyExport(exportOf(files), platform, {
    ...(vkey.trim() !== '' && { vkey: vkey.trim() }),
    ...(remembered && { seen: remembered }),
    tell,
  })
}

globalThis.batonVerify = verifyFiles

if (globalThis.document) begin(globalThis.document)

function begin(document) {
  const [drop, folder, result] = ['drop', 'folder', 'result'].map((id) => document.getElementById(id))
  const known = () => ({
    vkey: document.getElementById('vkey').value,
    seen: document.getElementById('seen').value,
  })
  const run = async (files) => {
    result.replaceChildren(element('p', 'Reading …'))
    try {
      const tell = (done, of) => result.firstChild.replaceWith(element('p', `${done} of ${of} entries …`))
      show(await verifyFiles(await files, known(), tell))
    } catch (error) {
      result.replaceChildren(
        element('p', `${error.message} This browser may not know Ed25519; a newer one does.`),
      )
    }
  }
  folder.addEventListener('change', () =>
    run(new Map([...folder.files].map((file) => [file.webkitRelativePath || file.name, file]))),
  )
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop'])
    document.addEventListener(name, (event) => {
      event.preventDefault()
      drop.classList.toggle('over', name === 'dragenter' || name === 'dragover')
    })
  document.addEventListener('drop', (event) =>
    run(dropped([...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()))),
  )

  function show({ verdict, origin, size, root, levels }) {
    const list = element('ul')
    for (const level of levels) list.append(row(level))
    result.replaceChildren(
      element('h2', HEADINGS[verdict]),
      ...(origin === undefined ? [] : [element('p', `Log ${origin}, ${size} entries, root ${root}`)]),
      list,
    )
  }

  function row({ level, title, verdict, summary, does_not_prove }) {
    const item = element('li', '', verdict)
    const text = verdict === 'not_asked' ? NOT_ASKED[level] : summary
    item.append(element('span', MARKS[verdict], 'mark'), element('strong', `${level} ${title}`), ` ${text}`)
    if (verdict === 'ok' || verdict === 'failed')
      item.append(element('small', `Does not prove ${does_not_prove}.`))
    return item
  }

  /** Text is text: nothing of an export becomes markup. */
  function element(tag, text = '', name = '') {
    const made = document.createElement(tag)
    made.textContent = text
    made.className = name
    return made
  }
}

/** Every file below what was dropped. A folder tells its entries some at a time. */
async function dropped(entries) {
  const files = new Map()
  const visit = async (entry) => {
    if (entry?.isFile)
      files.set(
        entry.fullPath.replace(/^\//, ''),
        await new Promise((done, failed) => entry.file(done, failed)),
      )
    if (!entry?.isDirectory) return
    const reader = entry.createReader()
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed))
      if (some.length === 0) return
      for (const each of some) await visit(each)
    }
  }
  for (const entry of entries) await visit(entry)
  return files
}
