/** `requires python`, `needs: docker`, `capability: gpu`: a constraint that names what its receiver must be able to do. */
const NEEDS = /^(?:requires?|needs?|capabilit(?:y|ies))(?:\s*:\s*|\s+)(.{1,200})$/i

/**
 * Constraints that somebody with these capabilities cannot keep, and why. Only those that name a capability are
 * judged; undefined where nothing is known of the receiver.
 */
export function incompatibleWith(
  constraints: readonly string[],
  capabilities: readonly string[],
): readonly { readonly constraint: string; readonly reason: string }[] | undefined {
  if (capabilities.length === 0) return undefined
  const able = new Set(capabilities.map(plain))
  return constraints.flatMap((constraint) => {
    const named = NEEDS.exec(constraint.trim())?.[1]
    const lacking = (named?.split(/,|\band\b/) ?? [])
      .map(plain)
      .filter((each) => each !== '' && !able.has(each))
    return lacking.length === 0
      ? []
      : [{ constraint, reason: `${lacking.join(' and ')} is not among ${capabilities.join(', ')}` }]
  })
}

const plain = (text: string): string => text.trim().replace(/[.!]$/, '').toLowerCase()
