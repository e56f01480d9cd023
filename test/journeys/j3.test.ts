import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { HandoffFailedException } from '../../src/domain/errors.ts'
import type { Failure } from '../../src/domain/handoffs/handoff.ts'
import { Baton } from '../../src/runner/baton.ts'
import type { BatonAgent } from '../../src/runner/baton-agent.ts'
import { localLink } from '../../src/runner/local-link.ts'
import type { Handler } from '../../src/runner/work.ts'
import { createCheckRunner } from '../../src/service/handoffs/acceptance.ts'
import { describeOnEngines, type Workspace } from '../support/program/workspace.ts'

/** The request of document 001. */
const REQUEST = {
  to: '@react-specialist',
  title: 'Build UserProfile',
  home: 'queue',
  data: { project_id: 'proj-001', tech_stack: { framework: 'React', version: '18.2' } },
  input: {
    component_requirements: [
      {
        name: 'UserProfile',
        type: 'functional',
        props: { userId: { type: 'string', required: true } },
      },
    ],
    code_quality: { typescript_enabled: true, testing_coverage_target: 80 },
  },
  timeout_s: 300,
} as const satisfies Parameters<BatonAgent['send']>[0]

const INPUT_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  required: ['component_requirements'],
  properties: {
    component_requirements: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'type'],
        properties: { props: { type: 'object', additionalProperties: { required: ['type'] } } },
      },
    },
  },
}
const OUTPUT_SCHEMA = { type: 'object', required: ['files'], properties: { files: { type: 'array' } } }

interface Stage extends Workspace {
  readonly baton: Baton
  readonly orchestrator: BatonAgent
  /** The project: schemas and artifacts. */
  readonly folder: string
  readonly start: (handler: Handler) => Promise<unknown>
}

async function setUp(
  t: TestContext,
  open: (t: TestContext, options?: object) => Promise<Workspace>,
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-j3-'))
  const opened: Baton[] = []
  // Registered first, so that the specialist stops before its store is closed.
  t.after(async () => {
    for (const each of opened) await each.close()
    rmSync(folder, { recursive: true })
  })
  mkdirSync(join(folder, 'schemas'))
  writeFileSync(join(folder, 'schemas/react-specialist.input.schema.json'), JSON.stringify(INPUT_SCHEMA))
  writeFileSync(join(folder, 'schemas/react-specialist.output.schema.json'), JSON.stringify(OUTPUT_SCHEMA))
  const workspace = await open(t, { runChecks: createCheckRunner({ root: folder, commands: [] }) })
  const baton = new Baton(
    localLink({ service: workspace.service, base: folder, close: async () => undefined }),
  )
  opened.push(baton)
  return {
    ...workspace,
    baton,
    folder,
    orchestrator: baton.as('@frontend-specialist', { kind: 'orchestrator' }),
    start: (handler) =>
      baton.specialist(
        'react-specialist',
        {
          input: 'schemas/react-specialist.input.schema.json',
          output: 'schemas/react-specialist.output.schema.json',
        },
        handler,
      ),
  }
}

async function until<T>(look: () => Promise<T | false | undefined>): Promise<T> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const found = await look()
    if (found) return found
    assert.ok(Date.now() < deadline, 'waited too long')
    await pause(5)
  }
}

const untilState = ({ orchestrator }: Stage, id: string, state: string) =>
  until(async () => {
    const { handoff } = await orchestrator.get(id)
    return handoff.state === state && handoff
  })

describeOnEngines('J3 with a specialist in TypeScript', (open) => {
  it('[S1-112] [S1-113] [S1-115] takes pending work, hands in artifact and report, and the orchestrator has it', async (t) => {
    const stage = await setUp(t, open)
    const sent = await stage.orchestrator.send(REQUEST)
    const waiting = sent.wait()

    await stage.start(async (work) => {
      const file = await work.artifact('react-components', { files: ['UserProfile.tsx'] })
      return {
        artifact: file,
        validation: { typescript_errors: 0, tests_passing: true, coverage_percentage: 87 },
        metadata: { components_generated: 1 },
        next_steps: ['Integrate UserProfile component into application'],
      }
    })
    const { handoff, output, validation, metadata, next_steps, schema_compliance } = await waiting

    assert.deepEqual(
      [handoff.state, handoff.from, handoff.to],
      ['completed', 'frontend-specialist', 'react-specialist'],
    )
    const { artifact_id, artifact_path } = output as { artifact_id: string; artifact_path: string }
    const stored = await stage.orchestrator.call('artifact_get', { uid: artifact_id })
    assert.equal(stored.artifact.path, artifact_path)
    assert.deepEqual(JSON.parse(Buffer.from(stored.content ?? '', 'base64').toString()), {
      files: ['UserProfile.tsx'],
    })
    assert.deepEqual(validation, {
      status: 'passed',
      typescript_errors: 0,
      tests_passing: true,
      coverage_percentage: 87,
    })
    assert.deepEqual(
      [metadata, next_steps?.length, schema_compliance],
      [{ components_generated: 1 }, 1, 'valid'],
    )
  })

  it('[S1-104] [S1-105] [S1-118] tries failing work again after 30, 60 and 120 seconds, and not a fifth time', async (t) => {
    const stage = await setUp(t, open)
    let calls = 0
    await stage.start(async ({ attempt }) => {
      calls += 1
      throw new Error(`attempt ${attempt} found no compiler`)
    })
    const sent = await stage.orchestrator.send(REQUEST)

    for (const [retries, seconds] of [30, 60, 120].entries()) {
      const waiting = await untilState(stage, sent.id, 'retry_wait')
      assert.equal(waiting.attempt, retries + 1)
      assert.equal(Date.parse(waiting.not_before ?? '') - stage.clock.now().getTime(), seconds * 1_000)
      stage.clock.pass(seconds * 1_000 - 1)
      assert.equal(await stage.service.settle(), 0)
      stage.clock.pass(1)
      await stage.service.settle()
    }
    const failed = await untilState(stage, sent.id, 'failed')

    assert.equal(calls, 4)
    assert.equal(failed.attempts.length, 4)
    assert.equal(failed.error?.message, 'attempt 4 found no compiler')
    stage.clock.pass(24 * 3_600_000)
    assert.equal(await stage.service.settle(), 0)
  })

  it('[S1-108] gives a waiter the attempt that worked, not the failure before it', async (t) => {
    const stage = await setUp(t, open)
    await stage.start(async ({ attempt }) => {
      if (attempt === 1) throw new Error('the compiler is down')
      return { output: { files: [] } }
    })
    const sent = await stage.orchestrator.send(REQUEST)
    const waiting = sent.wait()

    await untilState(stage, sent.id, 'retry_wait')
    stage.clock.pass(30_000)
    const { handoff } = await waiting

    assert.equal(handoff.attempt, 2)
    assert.equal(handoff.error, undefined)
  })

  it('[S1-69] [S1-81] lets exactly one of many take a handoff, and only whom it is addressed to', async (t) => {
    const stage = await setUp(t, open)
    const beside = new Baton(
      localLink({ service: await stage.beside(), base: '.', close: async () => undefined }),
    )
    const racers = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? stage.baton : beside).as('react-specialist', { instance: String(i) }),
    )
    const sent = await stage.orchestrator.send(REQUEST)

    await assert.rejects(stage.baton.as('dotnet-specialist').accept(sent.id), { code: 'not_allowed' })
    const claims = await Promise.all(racers.map((racer) => racer.claim()))
    const taken = claims.flatMap(({ handoff }) => handoff ?? [])

    assert.deepEqual(
      taken.map(({ uid }) => uid),
      [sent.uid],
    )
    const loser = racers.find((_, i) => !claims[i]?.handoff)!
    await assert.rejects(loser.accept(sent.id), { code: 'wrong_state' })
  })

  it('[S1-85] refuses to complete or fail what nobody has taken, and changes nothing', async (t) => {
    const stage = await setUp(t, open)
    const specialist = stage.baton.as('react-specialist')
    const sent = await stage.orchestrator.send(REQUEST)

    await assert.rejects(specialist.submit(sent.id, { output: { files: [] } }), { code: 'wrong_state' })
    await assert.rejects(specialist.fail(sent.id, { message: 'no' }), { code: 'wrong_state' })

    const { handoff, result } = await specialist.get(sent.id)
    assert.deepEqual([handoff.rev, handoff.state, result], [sent.handoff.rev, 'offered', undefined])
  })
})

describeOnEngines('the five errors of document 001', (open) => {
  const cases: Readonly<
    Record<
      string,
      {
        /** Absent: what is wrong is found before the handler is called. */
        handler?: Handler
        send?: Partial<Parameters<BatonAgent['send']>[0]>
        error: Failure
      }
    >
  > = {
    '[S1-96] input that its schema refuses': {
      send: { input: { component_requirements: [{ name: 'A', type: 'functional', props: { userId: {} } }] } },
      error: {
        code: 'SCHEMA_VALIDATION_FAILED',
        message:
          "Input validation failed: component_requirements[0].props.userId is missing required field 'type'",
        details: [
          {
            field: 'component_requirements[0].props.userId',
            error: "Missing required field 'type'",
            schema_path: '$.component_requirements[*].props.*',
          },
        ],
        recovery_actions: ['Fix input, retry'],
      },
    },
    '[S1-97] a handler that throws': {
      send: { retry: { max: 0, delay_s: 30, multiplier: 2 } },
      handler: async () => {
        throw new Error('the compiler is down')
      },
      error: {
        code: 'PROCESSING_ERROR',
        message: 'the compiler is down',
        recovery_actions: ['Check logs, retry'],
      },
    },
    '[S1-99] a handler that misses something': {
      handler: async (work) => work.fail('DEPENDENCY_MISSING', 'the design tokens are not there yet'),
      error: {
        code: 'DEPENDENCY_MISSING',
        message: 'the design tokens are not there yet',
        recovery_actions: ['Generate dependency first'],
      },
    },
    '[S1-109] an artifact that the request builds on and that is nowhere': {
      send: {
        artifacts: [{ path: 'artifacts/phase-07-tech-stack/artifact-tech-stack-001.json', role: 'input' }],
      },
      error: {
        code: 'DEPENDENCY_MISSING',
        message: 'Required artifact not found: artifacts/phase-07-tech-stack/artifact-tech-stack-001.json',
        recovery_actions: ['Generate dependency first'],
      },
    },
    '[S1-100] output that its schema refuses': {
      handler: async () => ({ output: { file: 'A.tsx' } }),
      error: {
        code: 'VALIDATION_FAILED',
        message: "Output validation failed: output is missing required field 'files'",
        details: [{ field: '$', error: "Missing required field 'files'", schema_path: '$' }],
        recovery_actions: ['Fix implementation'],
      },
    },
    '[S1-49] [S1-100] a report below the coverage that was asked for': {
      handler: async () => ({ output: { files: [] }, validation: { coverage_percentage: 79 } }),
      error: {
        code: 'VALIDATION_FAILED',
        message: 'HO-2026-001 cannot be completed yet: coverage is 79 % and the target is 80 %',
        details: [{ code: 'VALIDATION_FAILED', message: 'coverage is 79 % and the target is 80 %' }],
        recovery_actions: ['Fix implementation'],
      },
    },
  }
  for (const [title, { handler, send, error }] of Object.entries(cases)) {
    it(`${title} fails the handoff with ${error.code}`, async (t) => {
      const stage = await setUp(t, open)
      let calls = 0
      await stage.start((work) => {
        calls += 1
        return handler?.(work)
      })

      const sent = await stage.orchestrator.send({ ...REQUEST, ...send })
      await assert.rejects(sent.wait(), (thrown) => {
        assert.ok(thrown instanceof HandoffFailedException)
        assert.equal(thrown.message, error.message)
        return true
      })

      const { handoff } = await stage.orchestrator.get(sent.id)
      assert.deepEqual(handoff.error, { severity: 'error', ...error })
      assert.equal(handoff.attempts.length, 1)
      await stage.baton.close()
      assert.equal(calls, handler ? 1 : 0)
    })
  }

  it('[S1-98] [S1-110] silence past the timeout is a TIMEOUT, told by the engine', async (t) => {
    const stage = await setUp(t, open)
    const sent = await stage.orchestrator.send({ ...REQUEST, retry: { max: 0, delay_s: 30, multiplier: 2 } })
    await stage.baton.as('react-specialist', { instance: 'dead' }).claim()

    stage.clock.pass(299_999)
    assert.equal((await stage.orchestrator.get(sent.id)).handoff.state, 'in_progress')
    stage.clock.pass(1)

    await assert.rejects(sent.wait(), { code: 'failed' })
    assert.equal((await stage.orchestrator.get(sent.id)).handoff.error?.code, 'TIMEOUT')
  })

  it('[S1-117] an error that mending alone can help is tried again only when its sender asks', async (t) => {
    const stage = await setUp(t, open)
    let missing = true
    await stage.start(async (work) => {
      if (missing) work.fail('DEPENDENCY_MISSING', 'no tokens')
      return { output: { files: [] } }
    })
    const sent = await stage.orchestrator.send(REQUEST)
    await assert.rejects(sent.wait(), { message: 'no tokens' })

    missing = false
    await stage.orchestrator.retry(sent.id)
    const { handoff } = await sent.wait()

    assert.equal(handoff.attempt, 2)
  })
})
