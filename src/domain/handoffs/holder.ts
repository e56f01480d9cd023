/** The holder as one text: each instance of an agent is a holder of its own. */
export const holderKey = (agent: string, instance?: string): string =>
  instance === undefined ? agent : `${agent}#${instance}`
