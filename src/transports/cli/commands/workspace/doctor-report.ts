import { version } from '../../../../compose/version.ts'
import { parseConfig, readConfigText } from '../../../../config/file.ts'
import { findWorkspace } from '../../../../workspace/workspace.ts'
import type { Shell } from '../../shell.ts'
import type { DoctorResult } from './doctor.ts'

/** Findings whose words name nobody and no place, when all is well. */
const NAMELESS = new Set(['node', 'rights', 'log', 'rows', 'callers', 'counts'])

/**
 * The report for a person who helps: versions, numbers and findings. Names of agents, titles, texts, paths,
 * addresses and values of settings stay here.
 */
export async function reportOf(shell: Shell, findings: readonly DoctorResult[]): Promise<unknown> {
  return {
    baton: version(),
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    checks: findings.map(({ name, ok, detail, code }) => ({
      name,
      ok,
      code,
      ...(ok && NAMELESS.has(name) && { detail }),
    })),
    ...(await numbers(shell)),
    settings: await settingNames(shell),
    coding_agent: shell.io.env.codingAgent !== undefined,
  }
}

async function numbers(shell: Shell): Promise<object> {
  try {
    const { service } = await shell.openLocal({ write: false })
    const { store } = service.deps
    const { engine, schema, readOnly } = store.info
    const { handoffs, tasks, entries } = await store.counts()
    return {
      store: { engine, schema, read_only: readOnly },
      counts: { handoffs, tasks, agents: (await store.agents()).length, entries },
    }
  } catch {
    // The findings already say what is wrong with the store.
    return {}
  }
}

async function settingNames(shell: Shell): Promise<readonly string[]> {
  try {
    const file = (await findWorkspace(shell.io.cwd, shell.io.env))?.configFile
    if (file === undefined) return []
    return Object.keys(await parseConfig(await readConfigText(file), file))
  } catch {
    return []
  }
}
