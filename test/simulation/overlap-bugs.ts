import type { ContestName } from './contests.ts';
import type { Edit } from './patched-source.ts';

/** A lock that is not taken, although the triggers see it as taken. */
const noLock = `
const noLock = async (transaction, batchId) => {
  const sql = "SELECT revision, set_config('paybatch.locked_batch', id::text, true) FROM batches WHERE id = ?";
  return (await transaction.raw(sql, [batchId])).rows[0]?.revision ?? null;
};
`;

/** A change under that lock. */
const changeUnlocked = `${noLock}
const changeUnlocked = (database, batchId, work, isChange) =>
  database.transaction(async (transaction) => {
    await noLock(transaction, batchId);
    const result = await work(transaction);
    if (isChange === undefined || isChange(result)) {
      await transaction.raw('UPDATE batches SET revision = revision + 1 WHERE id = ?', [batchId]);
    }
    return result;
  });
`;

/** The change of a batch in a verb does not take the lock. */
function changesUnlocked(within: string): Edit {
  return { within, find: 'changeBatch(', replace: 'changeUnlocked(', add: changeUnlocked };
}

/** The mistakes of this file change nothing as long as no two calls overlap. */
export interface OverlapBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** What programs have to contend for to show it. */
  readonly shownBy: ContestName;
}

export const overlapBugs: readonly OverlapBug[] = [
  {
    name: 'a claim does not take the lock',
    shownBy: 'rowsToSend',
    edits: [changesUnlocked('makeClaim')],
  },
  {
    name: 'a record does not take the lock',
    shownBy: 'rowsOfLostRun',
    edits: [changesUnlocked('recordConclusions')],
  },
  {
    name: 'a record looks at the lease before it takes the lock',
    shownBy: 'rowsOfLostRun',
    edits: [
      {
        within: 'recordConclusions',
        find: 'changeBatch(database, batchId, (transaction) =>\n      recordUnderLock(transaction, batchId, runId, conclusions, mayBeNoted),\n    );',
        replace: `database.raw("SELECT row_number AS row, lease_token AS token FROM rows WHERE batch_id = ? AND state = 'sending'", [batchId])
          .then(({ rows: sending }) => {
            const stands = ({ row, leaseToken }) => sending.some((each) => each.row === row && each.token === leaseToken);
            return changeBatch(database, batchId,
              (transaction) => recordUnderLock(transaction, batchId, runId, conclusions.map((each) => ({ ...each, stands: stands(each) })), mayBeNoted));
          });`,
      },
      {
        within: 'moveRows',
        find: 'const moving = await holdSeenIds(transaction, batchId, conclusions);',
        replace:
          'const moving = await holdSeenIds(transaction, batchId, conclusions.filter(({ stands }) => stands));',
      },
      {
        within: 'moveSingleRows',
        find: "'sending')} AND r.lease_token = c.token",
        replace: "'sending', 'unknown')}",
      },
    ],
  },
  {
    name: 'a recheck does not take the lock',
    shownBy: 'rowsToSend',
    edits: [changesUnlocked('writeRechecked')],
  },
  {
    name: 'a preparation does not take the lock',
    shownBy: 'rowsToPrepare',
    edits: [changesUnlocked('writePreparations')],
  },
  {
    name: 'a verdict does not take the lock',
    shownBy: 'rowsInDoubt',
    edits: [changesUnlocked('writeVerdicts')],
  },
  {
    name: 'a run begins and ends without the lock',
    shownBy: 'freeBatch',
    edits: [
      { within: 'beginRun', find: 'lockBatch(', replace: 'noLock(', add: noLock },
      { within: 'endRunWithFiles', find: 'lockBatch(', replace: 'noLock(' },
    ],
  },
  {
    name: 'a run begins beside one that has just given a sign of life',
    shownBy: 'expiredLease',
    edits: [
      {
        within: 'beginRun',
        find: 'been ended.\n    await refuseIfHeld(transaction, run);',
        replace: 'been ended.',
      },
    ],
  },
  {
    name: 'a takeover does not take the lock',
    shownBy: 'rowsOfLostRun',
    edits: [changesUnlocked('takeOverExpired')],
  },
  {
    name: 'a takeover ends a run that has just given a sign of life',
    shownBy: 'expiredLease',
    edits: [
      {
        within: 'endLost',
        find: '(id = ANY(?::uuid[]) AND ',
        replace: '(id = ANY(?::uuid[]) AND true OR false AND ',
      },
    ],
  },
];
