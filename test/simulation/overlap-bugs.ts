import type { ContestName } from './contests.ts';
import type { Edit } from './patched-source.ts';

const claim = 'src/ledger/sending/claim.ts';
const prepare = 'src/ledger/before-sending/prepare.ts';
const recheck = 'src/ledger/before-sending/recheck.ts';
const record = 'src/ledger/sending/record.ts';
const runs = 'src/ledger/batches/runs.ts';
const verdicts = 'src/ledger/after-sending/verdicts.ts';

/** A lock that is not taken, although the triggers are told that it is. */
const withoutLock = `
const lockBatch = async (transaction, batchId) => {
  const sql = "SELECT revision, set_config('paybatch.locked_batch', id::text, true) FROM batches WHERE id = ?";
  return (await query(transaction, sql, [batchId]))[0]?.revision ?? null;
};`;

const changeWithoutLock = `${withoutLock}
const changeBatch = (database, batchId, work, isChange) =>
  database.transaction(async (transaction) => {
    await lockBatch(transaction, batchId);
    const result = await work(transaction);
    if (isChange === undefined || isChange(result)) await countChange(transaction, batchId);
    return result;
  });`;

/** The mistakes of this file change nothing as long as no two calls overlap. */
export interface OverlapBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** What programs have to contend for to show it. */
  readonly shownBy: ContestName;
}

const changeOnly = "import { changeBatch } from '../protocol/batch-lock.ts';";
const countOnly = "import { countChange } from '../protocol/batch-lock.ts';";

export const overlapBugs: readonly OverlapBug[] = [
  {
    name: 'a claim does not take the lock',
    shownBy: 'rowsToSend',
    edits: [
      {
        file: claim,
        find: "import { changeBatch, changeRows } from '../protocol/batch-lock.ts';",
        replace: `import { changeRows, countChange } from '../protocol/batch-lock.ts';${changeWithoutLock}`,
      },
    ],
  },
  {
    name: 'a record does not take the lock',
    shownBy: 'rowsOfLostRun',
    edits: [{ file: record, find: changeOnly, replace: `${countOnly}${changeWithoutLock}` }],
  },
  {
    name: 'a record looks at the lease before it takes the lock',
    shownBy: 'rowsOfLostRun',
    edits: [
      {
        file: record,
        find: 'changeBatch(database, batchId, (transaction) =>\n      recordUnderLock(transaction, batchId, runId, conclusions, mayBeNoted),\n    );',
        replace: `query(database, "SELECT row_number AS row, lease_token AS token FROM rows WHERE batch_id = ? AND state = 'sending'", [batchId])
          .then((sending) => {
            const stands = ({ row, leaseToken }) => sending.some((each) => each.row === row && each.token === leaseToken);
            return changeBatch(database, batchId,
              (transaction) => recordUnderLock(transaction, batchId, runId, conclusions.map((each) => ({ ...each, stands: stands(each) })), mayBeNoted));
          });`,
      },
      {
        file: record,
        find: 'const moving = await holdSeenIds(transaction, batchId, conclusions);',
        replace:
          'const moving = await holdSeenIds(transaction, batchId, conclusions.filter(({ stands }) => stands));',
      },
      {
        file: record,
        find: "'sending')} AND r.lease_token = c.token",
        replace: "'sending', 'unknown')}",
      },
    ],
  },
  {
    name: 'a recheck does not take the lock',
    shownBy: 'rowsToSend',
    edits: [{ file: recheck, find: changeOnly, replace: `${countOnly}${changeWithoutLock}` }],
  },
  {
    name: 'a preparation does not take the lock',
    shownBy: 'rowsToPrepare',
    edits: [{ file: prepare, find: changeOnly, replace: `${countOnly}${changeWithoutLock}` }],
  },
  {
    name: 'a verdict does not take the lock',
    shownBy: 'rowsInDoubt',
    edits: [{ file: verdicts, find: changeOnly, replace: `${countOnly}${changeWithoutLock}` }],
  },
  {
    name: 'a run begins and ends without the lock',
    shownBy: 'freeBatch',
    edits: [
      {
        file: runs,
        find: "import { changeBatch, countChange, lockBatch } from '../protocol/batch-lock.ts';",
        replace: `import { changeBatch, countChange } from '../protocol/batch-lock.ts';${withoutLock}`,
      },
    ],
  },
  {
    name: 'a run begins beside one that has just given a sign of life',
    shownBy: 'expiredLease',
    edits: [
      {
        file: runs,
        find: 'been ended.\n    await refuseIfHeld(transaction, run);',
        replace: 'been ended.',
      },
    ],
  },
  {
    name: 'a takeover does not take the lock',
    shownBy: 'rowsOfLostRun',
    edits: [
      {
        file: runs,
        find: "import { changeBatch, countChange, lockBatch } from '../protocol/batch-lock.ts';",
        replace: `import { countChange, lockBatch } from '../protocol/batch-lock.ts';${changeWithoutLock.replaceAll('lockBatch', 'noteBatch')}`,
      },
    ],
  },
  {
    name: 'a takeover ends a run that has just given a sign of life',
    shownBy: 'expiredLease',
    edits: [
      {
        file: runs,
        find: '(id = ANY(?::uuid[]) AND ',
        replace: '(id = ANY(?::uuid[]) AND true OR false AND ',
      },
    ],
  },
];
