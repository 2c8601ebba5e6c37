import type { Edit } from './patched-source.ts';

/** Mistakes in the ledger's SQL. The model has none of them, so the comparison of the two has to notice each. */
export const ledgerSqlBugs: readonly (Edit & {
  readonly name: string;
  /** The sequence that has shown it, where the first few do not. It is tried first, and the others after it. */
  readonly seed?: number;
})[] = [
  {
    name: 'the fencing token is not compared',
    seed: 23,
    within: 'moveSingleRows',
    find: ' AND r.lease_token = c.token',
    replace: '',
  },
  {
    name: 'a row that left its chunk is created under it',
    within: 'claimedChunkOf',
    find: `AND chunk = \${row}.chunk AND lease_token`,
    replace: 'AND lease_token',
  },
  {
    name: 'a chunk ends with its first row',
    seed: 19,
    within: 'countedOff',
    find: 'SET open_rows = c.open_rows - gone.rows',
    replace: 'SET open_rows = 0',
  },
  {
    name: 'a takeover forgets what was created',
    within: 'isOpenIn',
    find: 'AND NOT EXISTS (SELECT FROM created_objects f',
    replace: 'AND true OR EXISTS (SELECT FROM created_objects f',
  },
  {
    name: 'a claim of a chunk takes no lease',
    within: 'takeChunks',
    find: 'UPDATE send_chunks c SET lease_token = ? FROM next',
    replace: 'UPDATE send_chunks c SET lease_token = CASE WHEN false THEN ?::bigint END FROM next',
  },
  {
    name: 'a claim takes more than it asks for',
    seed: 13,
    within: 'takeChunks',
    find: 'WHERE rows <= ? OR position = 1)',
    replace: 'WHERE rows <= ? OR true)',
  },
  {
    name: 'a batch that was stopped goes on',
    seed: 31,
    within: 'isRefusedAlike',
    find: 'AND refused_alike IS NOT NULL)',
    replace: 'AND false)',
  },
  {
    name: 'rows of a closed batch are claimed',
    seed: 32,
    within: 'isClosed',
    find: 'AND closed_at IS NOT NULL)',
    replace: 'AND false)',
  },
  {
    name: 'a batch is closed while rows are in doubt',
    within: 'isInDoubt',
    find: "stateIs('s', 'unknown', 'sending')",
    replace: "stateIs('s', 'sending')",
  },
  {
    name: 'a payee whose request was refused is known',
    within: 'mayExist',
    find: "'sending', 'unknown')",
    replace: "'sending', 'unknown', 'rejected')",
  },
  {
    name: 'a payee of the own family is known',
    within: 'findPayees',
    find: 'AND NOT p.batch_id = ANY(?::uuid[])',
    replace: 'AND (NOT p.batch_id = ANY(?::uuid[]) OR true)',
  },
  {
    name: 'attempts are not counted',
    within: 'moveSingleRows',
    find: 'attempts = coalesce(c.attempts, r.attempts)',
    replace: 'attempts = r.attempts',
  },
  {
    name: 'a claim is made anew when it is repeated',
    seed: 10,
    within: 'makeClaim',
    find: "if (standing?.isMade === true) return 'made_before';",
    replace: '',
  },
  {
    name: 'the age of a key counts from its latest claim',
    within: 'takeOneByOne',
    find: 'first_sent_at = coalesce(first_sent_at, now())',
    replace: 'first_sent_at = now()',
  },
  {
    name: 'a key that is too old is claimed',
    within: 'claimable',
    find: "AND now() - first_sent_at < ? * interval '1 millisecond' AND",
    replace: "AND now() - first_sent_at < ? * interval '1 day' AND",
  },
  {
    name: 'an unknown row is claimed under another credential',
    seed: 9,
    within: 'claimable',
    find: "state = 'unknown' AND credential IS NOT DISTINCT FROM ?",
    replace: "state = 'unknown' AND (credential IS NOT DISTINCT FROM ? OR true)",
  },
  {
    name: 'a run claims the rows again that it put back',
    within: 'wasPutBackBefore',
    find: 'WHERE id = row_states.run_id) < (SELECT',
    replace: 'WHERE id = row_states.run_id) <= (SELECT',
  },
  {
    name: 'a run that has ended claims rows',
    within: 'isRunOpen',
    find: 'WHERE id = ? AND ended_at IS NULL)',
    replace: 'WHERE id = ?)',
  },
  {
    name: 'a takeover forgets that the row may exist',
    within: 'takeOver',
    find: "SET state = 'unknown', may_exist = true,",
    replace: "SET state = 'ready', first_sent_at = NULL, credential = NULL,",
  },
  {
    name: 'a takeover counts no request',
    within: 'takeOver',
    find: 'attempts = r.attempts + 1, code',
    replace: 'code',
  },
  {
    name: 'a verdict counts although its row was sent since',
    within: 'writePage',
    find: ' AND r.attempts = d.attempts',
    replace: '',
  },
  {
    name: 'a run that was taken over is prolonged',
    within: 'prolongRun',
    find: 'WHERE id = ? AND ended_at IS NULL`,\n    [leaseInMs, runId],',
    replace: 'WHERE id = ?`,\n    [leaseInMs, runId],',
  },
];
