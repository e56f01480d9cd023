import { toChecked } from '../../../../operations/workflow.ts'
import type { Extra } from '../../operation-command.ts'
import { fromFile, isAlone, readAlone } from './definition.ts'

/** Anybody can check a file, also where nothing of Baton is. */
export const check: Extra = {
  ...fromFile,
  examples: ['baton workflow check drafts/feature.yaml'],
  async alone(shell, input) {
    if (!(await isAlone(shell))) return undefined
    const checked = toChecked(await readAlone(shell, input))
    shell.say('There is no workspace here, so it is not known whether its agents and roles are there.')
    return checked
  },
}
