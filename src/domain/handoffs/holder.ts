/** Who holds it, as one text: an instance of an agent is another holder than the agent's other instances. */
export const holderKey = (agent: string, instance?: string): string =>
  instance === undefined ? agent : `${agent}#${instance}`
