import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

/**
 * A component whose code is loaded when it is first shown, or when `prepare` is called before. Suspense would do the same,
 * but React holds everything back for 300 ms once a fallback was shown.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: (props: Props) => ReactNode = () => null,
) {
  let loaded: ComponentType<Props> | undefined
  const prepare = async () => {
    loaded ??= await load()
    return loaded
  }
  function Later(props: Props) {
    const [Shown, show] = useState(() => loaded)
    const [failure, fail] = useState<unknown>()
    useEffect(() => {
      if (!Shown) prepare().then((found) => show(() => found), fail)
    }, [Shown])
    if (failure) throw failure
    return Shown ? <Shown {...props} /> : meanwhile(props)
  }
  return Object.assign(Later, { prepare })
}
