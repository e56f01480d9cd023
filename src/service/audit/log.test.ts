import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, PACKAGE } from '../../../test/support/program/workspace.ts'

describeOnEngines('the log about one thing', (open) => {
  it('is read in pages to its end, and leaves out what is about others', async (t) => {
    const { service } = await open(t)
    const { sending, closing } = service
    const planner = by('planner')
    const send = (title: string) => sending.send(planner, { ...PACKAGE, to: 'codex', title })
    const { handoff } = await send('Add limits')
    await send('Something else')
    for (let i = 0; i < 6; i++) await closing.comment(planner, handoff.uid, `remark ${i}`)
    const audit = await service.audit()

    const pages: (readonly string[])[] = []
    let cursor: string | undefined
    do {
      const page = await audit.log({ limit: 3, ...(cursor && { cursor }) }, handoff.id)
      pages.push(page.items.map(({ act, id }) => `${id} ${act}`))
      cursor = page.next
    } while (cursor !== undefined)

    const remark = 'HO-2026-001 handoff.comment'
    assert.deepEqual(pages, [
      ['HO-2026-001 handoff.send', remark, remark],
      [remark, remark, remark],
      [remark],
    ])
  })

  it('is refused where nothing has this id: an empty log would say that nothing happened', async (t) => {
    const audit = await (await open(t)).service.audit()
    await assert.rejects(audit.log({ limit: 3 }, 'HO-2026-999'), {
      code: 'not_found',
      message: 'there is no handoff, task or run HO-2026-999',
    })
  })
})
