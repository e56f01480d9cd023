import { Empty } from '../ui/states.tsx'

export function Tasks() {
  return (
    <>
      <h1>Tasks</h1>
      <Empty>Nothing is shown here yet.</Empty>
    </>
  )
}
