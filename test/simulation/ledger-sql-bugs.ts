import type { Edit } from './patched-source.ts';

const claim = 'src/ledger/claim.ts';
const claimPortion = 'src/ledger/claim-portion.ts';
const handOver = 'src/ledger/hand-over.ts';
const portions = 'src/ledger/portions.ts';
const record = 'src/ledger/record.ts';
const runs = 'src/ledger/runs.ts';

/** Mistakes in the ledger's SQL. The model has none of them, so the comparison of the two has to notice each. */
export const ledgerSqlBugs: readonly (Edit & { readonly name: string })[] = [
  {
    name: 'the fencing token is not compared',
    file: record,
    find: '\n         AND r.lease_token = c.token',
    replace: '',
  },
  {
    name: 'a row that left its portion is created under it',
    file: record,
    find: ' AND s.portion = p.portion\n',
    replace: '\n',
  },
  {
    name: 'a portion ends with its first row',
    file: portions,
    find: 'open_rows - count(*)::int AS left_rows',
    replace: '0 * open_rows - 0 * count(*)::int AS left_rows',
  },
  {
    name: 'a takeover forgets what was created',
    file: portions,
    find: 'AND NOT EXISTS (SELECT FROM creations c',
    replace: 'AND true OR EXISTS (SELECT FROM creations c',
  },
  {
    name: 'a claim of a portion takes no lease',
    file: claimPortion,
    find: "lease_token = ?,\n         lease_until = now() + ? * interval '1 millisecond'",
    replace: "lease_token = ?,\n         lease_until = now() + ? * interval '0 millisecond'",
  },
  {
    name: 'a stretch beyond the limit is lost',
    file: claimPortion,
    find: 'SELECT ?, ?, last_row + 1, ? FROM size WHERE rows = ?',
    replace: 'SELECT ?, ?, last_row + 2, ? FROM size WHERE rows = ?',
  },
  {
    name: 'attempts are not counted',
    file: record,
    find: 'attempts = coalesce(c.attempts, r.attempts)',
    replace: 'attempts = r.attempts',
  },
  {
    name: 'a claim takes no lease',
    file: claim,
    find: "lease_token = ?, lease_until = now() + ? * interval '1 millisecond'",
    replace: "lease_token = ?, lease_until = now() + ? * interval '0 millisecond'",
  },
  {
    name: 'the age of a key counts from its latest claim',
    file: claim,
    find: 'first_sent_at = coalesce(first_sent_at, now())',
    replace: 'first_sent_at = now()',
  },
  {
    name: 'a key that is too old is claimed',
    file: claim,
    find: "AND now() - first_sent_at < ? * interval '1 millisecond' AND",
    replace: "AND now() - first_sent_at < ? * interval '1 day' AND",
  },
  {
    name: 'an unknown row is claimed under another credential',
    file: claim,
    find: "state = 'unknown' AND credential IS NOT DISTINCT FROM ?",
    replace: "state = 'unknown' AND (credential IS NOT DISTINCT FROM ? OR true)",
  },
  {
    name: 'a run claims the rows again that it put back',
    file: claim,
    find: '(run_id IS NULL OR changed_at',
    replace: '(true OR run_id IS NULL OR changed_at',
  },
  {
    name: 'a run that has ended claims rows',
    file: handOver,
    find: 'WHERE id = ? AND ended_at IS NULL)',
    replace: 'WHERE id = ?)',
  },
  {
    name: 'a takeover forgets that the row may exist',
    file: runs,
    find: "SET state = 'unknown', may_exist = true,",
    replace: "SET state = 'ready', first_sent_at = NULL, credential = NULL,",
  },
  {
    name: 'a run that was taken over is prolonged',
    file: runs,
    find: 'WHERE id = ? AND ended_at IS NULL`,\n      [leaseInMs, runId],',
    replace: 'WHERE id = ?`,\n      [leaseInMs, runId],',
  },
];
