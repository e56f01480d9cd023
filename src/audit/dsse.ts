const encoder = new TextEncoder()

/** What is signed for a payload (DSSE 1.0.2): its type and its very bytes, each with its length before it. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = encoder.encode(payloadType)
  const head = encoder.encode(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `)
  const message = new Uint8Array(head.length + payload.length)
  message.set(head)
  message.set(payload, head.length)
  return message
}
