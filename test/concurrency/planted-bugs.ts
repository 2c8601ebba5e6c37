import type { Edit } from '../simulation/patched-source.ts';

/** A mistake that somebody could make in how the ledger is shared, and what of the concurrency test notices it. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Takes a constraint away that would refuse what the mistake writes. */
  readonly sql?: string;
  /** The directed schedule, by its name. */
  readonly noticedBy: string;
}

const beingCommitted = 'a recheck that comes while a claim is being committed takes none of its rows';
const olderFiles = 'a run whose files are older than the batch writes them again';
const lostLease =
  '3: a worker that was suspended while it waited for a retry sends nothing under a lost lease';

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'the lock of the batch is not taken, but reported to the triggers as taken',
    edits: [
      {
        within: 'lockBatch',
        find: `SELECT lock_batch(?) AS revision, \${byKeysOnly} AS "byKeysOnly"`,
        replace:
          'SELECT revision, set_config(\'paybatch.locked_batch\', id::text, true) AS "byKeysOnly" FROM batches WHERE id = ?',
      },
    ],
    noticedBy: beingCommitted,
  },
  {
    name: 'a claim takes the lock in the statement that looks whether it was made before',
    edits: [
      {
        within: 'changeBatch',
        find: 'await lockBatch(transaction, batchId);\n    const result',
        replace: 'if (!work.length) await lockBatch(transaction, batchId);\n    const result',
      },
      {
        within: 'makeClaim',
        find: 'AS "isStopped"`,\n        [batchId',
        replace: 'AS "isStopped", lock_batch(?)`,\n        [batchId',
      },
      {
        within: 'makeClaim',
        find: 'leaseToken, runId, batchId, batchId],\n      );\n      if',
        replace: 'leaseToken, runId, batchId, batchId, batchId],\n      );\n      if',
      },
    ],
    noticedBy: '2: a claim whose connection breaks while its COMMIT waits for a replica is not made twice',
  },
  {
    name: 'a claim is made anew when it is repeated under its token',
    edits: [{ within: 'makeClaim', find: "if (standing.isMade) return 'made_before';", replace: '' }],
    sql: 'ALTER TABLE claims DROP CONSTRAINT claims_pkey CASCADE',
    noticedBy: '2: a claim whose connection breaks while its COMMIT comes late is not made twice',
  },
  {
    name: 'a recheck takes rows of chunks that are claimed',
    edits: [{ within: 'takeOut', find: "isUnclaimed('s')}", replace: "'true'}" }],
    noticedBy: 'a recheck that found rows ready leaves them to the worker that has claimed them since',
  },
  {
    name: 'a takeover leaves the rows behind that a lost run claimed by chunks',
    edits: [{ within: 'takeOver', find: '  await materializeLost(transaction, batchId);\n', replace: '' }],
    noticedBy: 'rows that a killed worker claimed are taken over',
  },
  {
    name: 'files are not written again when the batch has changed',
    edits: [
      {
        within: 'endRunWithFiles',
        find: 'if (revision !== run.revision) {',
        replace: 'if (revision === null) {',
      },
    ],
    noticedBy: olderFiles,
  },
  {
    name: 'the revision is read when the files are written',
    edits: [
      {
        within: 'endWithFiles',
        find: 'const revision = await ledger.readRevision(run.batchId);\n    const written = await write(writing);',
        replace:
          'const written = await write(writing);\n    const revision = await ledger.readRevision(run.batchId);',
      },
    ],
    noticedBy: olderFiles,
  },
  {
    name: 'a takeover ends a run that has just given a sign of life',
    edits: [
      {
        within: 'endLost',
        find: '(id = ANY(?::uuid[]) AND ',
        replace: '(id = ANY(?::uuid[]) AND true OR false AND ',
      },
    ],
    noticedBy: 'a run that gives a sign of life while it is considered lost stays alive',
  },
  {
    name: 'the lease is asked for once a row, not before each request',
    edits: [
      {
        within: 'sendFirst',
        find: '&& context.holdsBatch(),',
        replace: '&& (asked.has(row) || (asked.add(row) && context.holdsBatch())),',
      },
      {
        within: 'sendFirst',
        find: 'function sendFirst(',
        replace: 'const asked = new Set<ClaimedRow>();\nfunction sendFirst(',
      },
    ],
    noticedBy: lostLease,
  },
  {
    name: 'a sign of life is trusted for ever',
    edits: [
      {
        within: 'startHeartbeat',
        find: '=> isSure(leaseInMs - marginInMs);',
        replace: '=> isSure(Infinity);',
      },
    ],
    noticedBy: lostLease,
  },
  {
    name: 'the late answer that an object was created is dropped',
    edits: [
      {
        within: 'recordUnderLock',
        find: 'if (late.length > 0) await keepLateCreations',
        replace: 'if (late.length < 0) await keepLateCreations',
      },
    ],
    noticedBy: 'an object that was created after a person had decided otherwise is kept as evidence',
  },
  {
    name: 'a run that was considered lost continues staging',
    edits: [
      {
        within: 'batchBeingStaged',
        find: 'AND staged_at IS NULL AND',
        replace: 'AND staged_at IS NULL AND true >=',
      },
    ],
    noticedBy: 'a run that was considered lost does not finish the staging of the next import',
  },
  {
    // Neither of its two guards is missed alone: a decision of a run that was considered lost is about a row that no
    // run has prepared since, as any decision may be, or about an earlier request of the row.
    name: 'a run that was considered lost continues preparing, whatever request its decision is about',
    edits: [
      {
        within: 'writePreparations',
        find: 'if (!(await mayPrepare(transaction, batchId, runId))) return;',
        replace: '',
      },
      {
        within: 'isStillToPrepare',
        find: ' AND r.generation <= p.generation`',
        replace: '`',
      },
    ],
    noticedBy: 'a run that was considered lost does not overwrite what a person decided meanwhile',
  },
  {
    name: 'runs are ordered by time, not by number',
    edits: [
      {
        within: 'wasPutBackBefore',
        find: '(SELECT number FROM runs WHERE id = row_states.run_id) < (SELECT number FROM runs WHERE id = ?)',
        replace:
          '(SELECT started_at FROM runs WHERE id = row_states.run_id) < (SELECT started_at FROM runs WHERE id = ?)',
      },
    ],
    noticedBy: '9: rows that were put back are sent although the clock was set back',
  },
  {
    name: 'a row that was put back does not say by which run',
    edits: [
      {
        within: 'moveSingleRows',
        find: "may_exist = r.may_exist OR c.state = 'unknown', lease_token = NULL,",
        replace:
          "run_id = CASE WHEN c.state = 'ready' THEN NULL ELSE r.run_id END, may_exist = r.may_exist OR c.state = 'unknown', lease_token = NULL,",
      },
    ],
    noticedBy: 'a run does not claim again what it put back itself',
  },
  {
    name: 'nothing keeps an id from being the object of two rows at once',
    edits: [],
    sql: 'ALTER TABLE created_objects DROP CONSTRAINT one_row_for_an_object',
    noticedBy: 'one id for rows of two batches at once is one row’s, and the other is held',
  },
];
