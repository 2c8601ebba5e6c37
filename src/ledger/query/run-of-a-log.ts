/** Stands for the run of what only a run log tells of, whose ledger was lost. */
export const runOfALog = '00000000-0000-0000-0000-000000000000';
