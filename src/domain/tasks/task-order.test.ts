import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { criticalPath } from '../../../test/support/critical-path.ts'
import {
  checkDependencies,
  compareIds,
  findCycle,
  indexById,
  parentOf,
  unmetDependencies,
} from './task-order.ts'

const item = (id: string, status: string, ...depends_on: string[]) => ({ id, status, depends_on })
/** Short and of few letters, so that equal beginnings and zeros in front are common. */
const id = fc.string({ unit: fc.constantFrom('0', '1', '2', '9', '.', '-', 'a', 'B', 'ü'), maxLength: 8 })
/** Any graph over eight nodes, with edges to nodes that do not exist too. */
const graph = fc
  .array(fc.array(fc.nat({ max: 9 }).map(String), { maxLength: 3 }), { minLength: 8, maxLength: 8 })
  .map((edges) => new Map(edges.map((targets, index) => [String(index), targets])))

describe('compareIds', () => {
  it('[S2-71] orders as people count', () => {
    const ids = ['task-10', 'P0.1.10', 'task-15.10', 'task-2', 'P0.1.2', 'task-15.2', 'task-15', 'P0.1']

    assert.deepEqual(ids.sort(compareIds), [
      'P0.1',
      'P0.1.2',
      'P0.1.10',
      'task-2',
      'task-10',
      'task-15',
      'task-15.2',
      'task-15.10',
    ])
  })

  it('[S2-71] keeps numbers exact that no number type holds', () => {
    assert.equal(compareIds('t-90071992547409930', 't-90071992547409931'), -1)
    assert.equal(compareIds(`t-${'9'.repeat(400)}`, `t-1${'0'.repeat(400)}`), -1)
  })

  it('[S2-71] tells ids apart that differ only in zeros', () => {
    assert.deepEqual(['task-2', 'task-02', 'task-1', 'task-002'].sort(compareIds), [
      'task-1',
      'task-002',
      'task-02',
      'task-2',
    ])
  })

  it('[S2-71] is a total order that calls only equal ids equal', () => {
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        assert.equal(compareIds(a, b) === 0, a === b)
        assert.equal(compareIds(a, b), 0 - compareIds(b, a))
        if (compareIds(a, b) <= 0 && compareIds(b, c) <= 0) assert.ok(compareIds(a, c) <= 0)
      }),
      { numRuns: 2_000 },
    )
  })

  it('[S2-71] orders any two numbers behind the same words by their value', () => {
    fc.assert(
      fc.property(
        id.filter((text) => !/\d$/.test(text)),
        fc.nat(),
        fc.nat(),
        (words, a, b) => {
          assert.equal(compareIds(`${words}${a}`, `${words}${b}`), Math.sign(a - b))
        },
      ),
    )
  })
})

describe('parentOf', () => {
  it('[S2-71] is the task of a subtask', () => {
    assert.equal(parentOf('task-15.3'), 'task-15')
    assert.equal(parentOf('P0.1.10'), 'P0.1')
    assert.equal(parentOf('task-15.3.1'), 'task-15.3')
  })

  it('[S2-71] is nothing where no number follows a dot', () => {
    for (const none of ['task-15', 'BPRD-2026-0042', 'package.json', 'task-15.', '.5', '']) {
      assert.equal(parentOf(none), undefined, none)
    }
  })
})

describe('checkDependencies', () => {
  it('[S2-68] finds nothing where all that was begun had its dependencies done', () => {
    const items = [
      item('task-12', 'complete'),
      item('P0.1.1', 'done'),
      item('task-15.3', 'in_progress', 'task-12', 'P0.1.1'),
      item('task-16', 'pending', 'task-15.3'),
      item('task-17', 'blocked', 'task-15.3'),
    ]

    assert.deepEqual(checkDependencies(items), [])
  })

  it('[S2-69] flags work that was begun or finished before its dependency was done', () => {
    const items = [
      item('task-1', 'in_progress'),
      item('task-2', 'failed'),
      item('task-3', 'in_progress', 'task-1'),
      item('task-4', 'complete', 'task-1', 'task-2'),
    ]

    assert.deepEqual(checkDependencies(items), [
      { code: 'dependency_unmet', id: 'task-3', depends_on: 'task-1' },
      { code: 'dependency_unmet', id: 'task-4', depends_on: 'task-1' },
      { code: 'dependency_unmet', id: 'task-4', depends_on: 'task-2' },
    ])
  })

  it('[S2-69] flags a dependency that nobody knows, once, also of work not begun', () => {
    assert.deepEqual(checkDependencies([item('task-1', 'pending', 'task-9', 'task-9')]), [
      { code: 'dependency_unknown', id: 'task-1', depends_on: 'task-9' },
    ])
  })

  it('[S2-69] names a cycle from its first task back to it', () => {
    const items = [
      item('task-0', 'pending', 'task-1'),
      item('task-1', 'pending', 'task-2'),
      item('task-2', 'pending', 'task-3'),
      item('task-3', 'pending', 'task-1'),
    ]

    assert.deepEqual(checkDependencies(items), [
      { code: 'dependency_cycle', id: 'task-1', cycle: ['task-1', 'task-2', 'task-3', 'task-1'] },
    ])
  })

  it('[S2-68] takes the later of two words on one task', () => {
    const items = [item('a', 'in_progress'), item('b', 'in_progress', 'a'), item('a', 'complete')]

    assert.deepEqual(checkDependencies(items), [])
  })
})

describe('unmetDependencies', () => {
  it('[S2-70] lists what a blocked task waits for, unknown ones too', () => {
    const all = indexById([item('a', 'complete'), item('b', 'in_progress'), item('c', 'done')])

    assert.deepEqual(unmetDependencies(item('x', 'blocked', 'b', 'a', 'nowhere', 'c', 'b'), all), [
      'b',
      'nowhere',
    ])
  })
})

describe('findCycle', () => {
  it('[S2-69] sees that a task waits for itself', () => {
    assert.deepEqual(findCycle(new Map([['a', ['a']]])), ['a', 'a'])
  })

  it('[S2-69] takes two ways to one task for no cycle', () => {
    const diamond = new Map([
      ['a', ['b', 'c']],
      ['b', ['d']],
      ['c', ['d', 'nowhere']],
      ['d', []],
    ])

    assert.equal(findCycle(diamond), undefined)
  })

  it('[S2-69] finds a way that is really there, exactly when the graph cannot be sorted', () => {
    fc.assert(
      fc.property(graph, (edges) => {
        const cycle = findCycle(edges)

        assert.equal(cycle === undefined, canBeSorted(edges))
        if (!cycle) return
        assert.equal(cycle[0], cycle.at(-1))
        assert.equal(new Set(cycle).size, cycle.length - 1)
        for (const [index, node] of cycle.slice(1).entries()) {
          assert.ok(edges.get(cycle[index]!)?.includes(node), `${cycle[index]} -> ${node}`)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('[S2-69] goes through a chain of 100,000 tasks, and back to its start', () => {
    const chain = new Map(Array.from({ length: 100_000 }, (_, n) => [`task-${n}`, [`task-${n + 1}`]]))
    const ring = new Map([...chain, ['task-99999', ['task-0']]])

    assert.equal(findCycle(chain), undefined)
    assert.equal(findCycle(ring)?.length, 100_001)
  })

  it('[S2-69] looks at every dependency once, also where many share them', () => {
    // A ladder has 2^5000 ways through it.
    const ladder = new Map<string, string[]>()
    for (let n = 0; n < 5_000; n += 1) {
      for (const side of ['a', 'b']) ladder.set(`${side}${n}`, [`a${n + 1}`, `b${n + 1}`])
    }

    assert.equal(findCycle(ladder), undefined)
  })
})

describe('criticalPath', () => {
  it('is the longest chain of what is left, first task first', () => {
    const items = [
      item('P0.1.1', 'done'),
      item('P0.1.2', 'todo', 'P0.1.1'),
      item('P0.1.3', 'in_progress', 'P0.1.2'),
      item('P0.1.4', 'todo', 'P0.1.1'),
      item('P0.2.1', 'todo', 'P0.1.3', 'P0.1.4'),
    ]

    assert.deepEqual(criticalPath(items), ['P0.1.2', 'P0.1.3', 'P0.2.1'])
  })

  it('takes the first in order of ids among equally long chains, at every step (A3-25)', () => {
    const items = [
      item('P0.1.10', 'todo'),
      item('P0.1.2', 'todo'),
      item('P0.2.10', 'todo', 'P0.1.10', 'P0.1.2'),
      item('P0.2.9', 'todo', 'P0.1.2'),
    ]

    assert.deepEqual(criticalPath(items), ['P0.1.2', 'P0.2.9'])
  })

  it('is what was flagged by hand, dependencies first, as long as some of it is left', () => {
    const items = [
      { ...item('d', 'done'), critical: true },
      { ...item('b', 'todo', 'c'), critical: true },
      { ...item('c', 'todo', 'd'), critical: true },
      item('x', 'todo'),
      item('y', 'todo', 'x'),
      item('z', 'todo', 'y'),
    ]

    assert.deepEqual(criticalPath(items), ['c', 'b'])
    assert.deepEqual(criticalPath(items.filter(({ id }) => id !== 'b' && id !== 'c')), ['x', 'y', 'z'])
  })

  it('leaves out what waits for a cycle and keeps what the cycle waits for', () => {
    const items = [
      item('a', 'todo'),
      item('b', 'todo', 'a', 'c'),
      item('c', 'todo', 'b'),
      item('d', 'todo', 'c'),
      item('e', 'todo', 'd'),
    ]

    assert.deepEqual(criticalPath(items), ['a'])
  })

  it('is empty when nothing is left, and takes the later of two words on one task', () => {
    assert.deepEqual(criticalPath([]), [])
    assert.deepEqual(criticalPath([item('a', 'todo'), item('a', 'done')]), [])
  })

  it('goes through a chain of 100,000 tasks', () => {
    const items = Array.from({ length: 100_000 }, (_, n) => item(`task-${n}`, 'todo', `task-${n - 1}`))

    assert.equal(criticalPath(items).length, 100_000)
  })

  it('is a chain, and none is longer, whatever the graph', () => {
    fc.assert(
      fc.property(graph.filter(canBeSorted), (edges) => {
        const path = criticalPath([...edges].map(([node, targets]) => item(node, 'todo', ...targets)))

        for (const [index, node] of path.slice(1).entries()) {
          assert.ok(edges.get(node)?.includes(path[index]!), `${node} waits for ${path[index]}`)
        }
        assert.equal(path.length, longest(edges))
      }),
    )
  })
})

/** Kahn's way, as a second opinion. */
function canBeSorted(edges: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(edges)
  for (let found = true; found; ) {
    found = false
    for (const [node, targets] of left) {
      if (!targets.some((target) => left.has(target))) found = left.delete(node)
    }
  }
  return left.size === 0
}

function longest(edges: ReadonlyMap<string, readonly string[]>): number {
  const below = (node: string): number =>
    edges.has(node) ? 1 + Math.max(0, ...edges.get(node)!.map(below)) : 0
  return Math.max(...[...edges.keys()].map(below))
}
