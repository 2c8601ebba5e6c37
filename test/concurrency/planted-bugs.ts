import type { Edit } from '../simulation/patched-source.ts';
import type { Theme } from './schedule-plan.ts';

/** A mistake that somebody could make in how the ledger is shared, and what of the concurrency test notices it. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Takes a constraint away that would refuse what the mistake writes. */
  readonly sql?: string;
  /** A directed schedule by its name, or the theme of the random ones. */
  readonly noticedBy: { readonly directed: string } | { readonly theme: Theme };
}

const batchLock = 'src/ledger/protocol/batch-lock.ts';
const claim = 'src/ledger/sending/claim.ts';
const record = 'src/ledger/sending/record.ts';
const runs = 'src/ledger/batches/runs.ts';
const submit = 'src/pipeline/sending/submit.ts';

const lostLease =
  '3: a worker that was suspended while it waited for a retry sends nothing under a lost lease';

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a claim takes the lock in the statement that looks whether it was made before',
    edits: [
      {
        file: batchLock,
        find: 'await lockBatch(transaction, batchId);\n    const result',
        replace: 'if (!work.length) await lockBatch(transaction, batchId);\n    const result',
      },
      {
        file: claim,
        find: 'AS "isOpen"`,\n        [batchId',
        replace: 'AS "isOpen", lock_batch(?)`,\n        [batchId',
      },
      {
        file: claim,
        find: 'leaseToken, runId],\n      );\n      if',
        replace: 'leaseToken, runId, batchId],\n      );\n      if',
      },
    ],
    noticedBy: {
      directed: '2: a claim whose connection breaks while its COMMIT waits for a replica is not made twice',
    },
  },
  {
    name: 'a takeover ends a run that has just given a sign of life',
    edits: [
      {
        file: runs,
        find: '(id = ANY(?::uuid[]) AND ',
        replace: '(id = ANY(?::uuid[]) AND true OR false AND ',
      },
    ],
    noticedBy: {
      directed: 'a run that gives a sign of life while it is taken for lost stays what it is',
    },
  },
  {
    name: 'the lease is asked for once a row, not before each request',
    edits: [
      {
        file: submit,
        find: 'mayLeave: () => isYoungEnough(context, row, claimedAt) && (context.holdsBatch?.() ?? true),',
        replace:
          'mayLeave: ((wasAsked) => () => { if (wasAsked) return true; wasAsked = true; return isYoungEnough(context, row, claimedAt) && (context.holdsBatch?.() ?? true); })(false),',
      },
    ],
    noticedBy: { directed: lostLease },
  },
  {
    name: 'a sign of life is trusted for ever',
    edits: [
      {
        file: 'src/pipeline/run/heartbeat.ts',
        find: '=> isSure(leaseInMs - marginInMs);',
        replace: '=> isSure(Infinity);',
      },
    ],
    noticedBy: { directed: lostLease },
  },
  {
    name: 'the late answer that an object was created is dropped',
    edits: [
      {
        file: record,
        find: 'if (late.length > 0) await keepUnrecorded',
        replace: 'if (late.length < 0) await keepUnrecorded',
      },
    ],
    noticedBy: {
      directed: 'an object that was created after a person had decided otherwise is kept as evidence',
    },
  },
  {
    name: 'a run that was taken for lost goes on staging',
    edits: [
      {
        file: 'src/ledger/before-sending/stage.ts',
        find: 'found?.isUnstaged !== true || !(await holdsItsBatch(transaction, runId))',
        replace: 'found === undefined',
      },
    ],
    noticedBy: {
      directed: 'a run that was taken for lost does not finish the staging of the next import',
    },
  },
  {
    name: 'a run that was taken for lost goes on preparing',
    edits: [
      {
        file: 'src/ledger/before-sending/prepare.ts',
        find: 'if (!(await holdsItsBatch(transaction, runId))) return;',
        replace: '',
      },
    ],
    noticedBy: {
      directed: 'a run that was taken for lost prepares nothing over what a person decided meanwhile',
    },
  },
  {
    name: 'runs are ordered by time, not by number',
    edits: [
      {
        file: claim,
        find: '(SELECT number FROM runs WHERE id = stored_rows.run_id) < (SELECT number FROM runs WHERE id = ?)',
        replace:
          '(SELECT started_at FROM runs WHERE id = stored_rows.run_id) < (SELECT started_at FROM runs WHERE id = ?)',
      },
    ],
    noticedBy: { directed: '9: rows that were put back are sent although the clock was set back' },
  },
  {
    name: 'a row that was put back does not say by which run',
    edits: [
      {
        file: record,
        find: "may_exist = r.may_exist OR c.state = 'unknown', lease_token = NULL,",
        replace:
          "run_id = CASE WHEN c.state = 'ready' THEN NULL ELSE r.run_id END, may_exist = r.may_exist OR c.state = 'unknown', lease_token = NULL,",
      },
    ],
    noticedBy: { directed: 'a run does not claim again what it put back itself' },
  },
  {
    name: 'nothing keeps an id from being the object of two rows at once',
    edits: [],
    sql: 'ALTER TABLE creations DROP CONSTRAINT one_row_for_an_object',
    noticedBy: { directed: 'one id for rows of two batches at once is one row’s, and the other is held' },
  },
];
