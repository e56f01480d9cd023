import { Empty } from '../ui/states.tsx'

export function Agents() {
  return (
    <>
      <h1>Agents</h1>
      <Empty>Nothing is shown here yet.</Empty>
    </>
  )
}
