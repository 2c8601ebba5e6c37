/**
 * Whether this run leaves out what only repeats on another ledger or in another look: `.ci/run` sets the variable, `--night` does
 * not. All else, such as a file that somebody names, runs in full.
 */
export const isSampled: boolean = process.env['PAYBATCH_SAMPLED'] === '1';
