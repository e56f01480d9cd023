import { Empty } from '../ui/states.tsx'

export function Workflows(_props: { readonly id?: string }) {
  return (
    <>
      <h1>Workflows</h1>
      <Empty>Nothing is shown here yet.</Empty>
    </>
  )
}
