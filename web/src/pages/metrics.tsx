import { Empty } from '../ui/states.tsx'

export function Metrics() {
  return (
    <>
      <h1>Metrics</h1>
      <Empty>Nothing is shown here yet.</Empty>
    </>
  )
}
