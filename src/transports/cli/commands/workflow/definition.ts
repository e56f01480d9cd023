import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BatonError, invalidInput, notFound } from '../../../../domain/errors.ts'
import type { Workflow } from '../../../../domain/workflow/workflow.ts'
import { checkoutAt } from '../../../../git/checkout.ts'
import { PHASES_NAME, phasesText } from '../../../../service/workflows/phases.ts'
import type { Extra } from '../../operation-command.ts'
import type { Shell } from '../../shell.ts'

/** How errors call a definition that came as text. */
const UNNAMED = 'the definition'
/** Longer than what the operation takes, and short enough to read by mistake. */
const MAX_DEFINITION_BYTES = 2_000_000

interface DefinitionFile {
  /** As people know it: the path that they typed, or the file of the name. */
  readonly file: string
  readonly text: string
}

/** The path that was typed in place of a name, for errors about it. */
const TYPED = new WeakMap<Shell, string>()

/**
 * A definition is named, or a file is: that one travels as text. A server sees no files of this machine, so there the
 * text of a named one travels too.
 */
export const fromFile: Extra = {
  examples: ['baton workflow start drafts/feature.yaml'],
  // A definition that cannot be read makes no workspace.
  async alone(shell, input) {
    if (await isAlone(shell)) await readAlone(shell, input)
  },
  async before(shell, session, input) {
    const { name, ...rest } = input
    if (name === undefined && rest.definition === undefined && rest.run === undefined) throw nameless()
    if (typeof name !== 'string' || rest.definition !== undefined) return { input }
    if (isPath(name)) {
      const { text } = fileAt(shell, name)
      TYPED.set(shell, name)
      return { input: { ...rest, definition: text } }
    }
    const found = session.context ? undefined : namedFile(shell.io.cwd, name)
    return { input: found ? { ...input, definition: found.text } : input }
  },
  refused(shell, error) {
    const file = TYPED.get(shell)
    if (file === undefined || !(error instanceof BatonError) || error.details.file !== UNNAMED) return error
    const message = error.message.replaceAll(new RegExp(`^${UNNAMED}:`, 'gm'), () => `${file}:`)
    return new BatonError(error.code, message, { ...error.details, file }, error)
  },
}

/** The workflow of a definition without a workspace: whether its agents are known is not judged. */
export async function readAlone(
  shell: Shell,
  { name, definition }: Readonly<Record<string, unknown>>,
): Promise<Workflow> {
  const { readDefinition, refuseDefinition } = await import('../../../../service/workflows/definition.ts')
  const typed = typeof name === 'string' ? name : undefined
  const found = typeof definition === 'string' ? { file: UNNAMED, text: definition } : lookUp(shell, typed)
  const read = readDefinition(found.text, typed === undefined || isPath(typed) ? undefined : typed)
  if (!read.ok) return refuseDefinition(found.file, read.problems)
  return read.workflow
}

/** Whether this command has to do without a workspace. */
export async function isAlone({ io, store }: Shell): Promise<boolean> {
  if (io.env.url !== undefined || store !== undefined || io.env.store !== undefined) return false
  const { findWorkspace } = await import('../../../../workspace/find.ts')
  return (await findWorkspace(io.cwd, io.env)) === undefined
}

const nameless = (): BatonError =>
  invalidInput('name a workflow or its file, for example feature or workflows/feature.yaml')

const isPath = (typed: string): boolean => /[\\/]|\.(ya?ml|json)$/i.test(typed)

function lookUp(shell: Shell, typed: string | undefined): DefinitionFile {
  if (typed === undefined) throw nameless()
  if (isPath(typed)) return fileAt(shell, typed)
  const found = namedFile(shell.io.cwd, typed)
  if (found) return found
  if (typed === PHASES_NAME) return { file: PHASES_NAME, text: phasesText() }
  throw notFound(
    `there is no workflow ${typed}: no workflows/${typed}.yaml; make one with: baton workflow init ${typed}`,
    { name: typed },
  )
}

/** The file that was typed, here or in `workflows/`. */
function fileAt({ io }: Shell, typed: string): DefinitionFile {
  const path = [typed, join('workflows', typed)].map((each) => resolve(io.cwd, each)).find(existsSync)
  if (path === undefined) throw noFile(io.cwd, typed)
  const refused = (why: string, code: 'invalid_input' | 'too_large' = 'invalid_input') =>
    new BatonError(code, `${typed} ${why}`, { file: typed })
  const found = statSync(path)
  if (!found.isFile()) throw refused('is not a file; name the YAML file of a workflow')
  if (found.size > MAX_DEFINITION_BYTES)
    throw refused(`has ${found.size} bytes, which no workflow needs`, 'too_large')
  try {
    return { file: typed, text: readFileSync(path, 'utf8') }
  } catch (error) {
    throw refused(`cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function noFile(cwd: string, typed: string): BatonError {
  const there = existsSync(join(cwd, 'workflows'))
    ? readdirSync(join(cwd, 'workflows')).flatMap((each) => /^(.+)\.ya?ml$/.exec(each)?.[1] ?? [])
    : []
  const advice =
    there.length > 0
      ? `there is ${there.sort().slice(0, 10).join(', ')}`
      : `make one with: baton workflow init ${basename(typed).replace(/\.\w+$/, '') || 'feature'}`
  return notFound(`there is no file ${typed} and no workflow of that name; ${advice}`, {
    file: typed,
  })
}

/** `workflows/<name>.yaml` here or above, as far as the repository goes. */
function namedFile(from: string, name: string): DefinitionFile | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = ['yaml', 'yml'].map((end) => `workflows/${name}.${end}`)
    const file = found.find((each) => existsSync(join(folder, each)))
    if (file !== undefined) return { file, text: readFileSync(join(folder, file), 'utf8') }
    if (checkoutAt(folder) || folder === dirname(folder)) return undefined
  }
}
