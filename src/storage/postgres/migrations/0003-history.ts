/** Additive: what is over is found by its state, so that a board over a long history does not walk through all of it. */
export const sql = `
CREATE INDEX handoff_ended ON baton.handoff (ws, state, uid) WHERE open = 0;
`
