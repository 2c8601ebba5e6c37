import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord } from '../../src/domain/batches/batch.ts';
import type { ClaimedRow, RowConclusion } from '../../src/domain/rows/ledger-row.ts';
import { resultStatuses } from '../../src/domain/rows/row-state.ts';
import type { RowFilter } from '../../src/domain/rows/search-terms.ts';
import { discardEdits } from '../../src/ledger/after-sending/draft-changes.ts';
import { countDraft } from '../../src/ledger/after-sending/drafts.ts';
import * as evidence from '../../src/ledger/after-sending/evidence.ts';
import { keepRowTotals, readFacts } from '../../src/ledger/after-sending/facts.ts';
import { listRowsToRestore, restoreRows } from '../../src/ledger/after-sending/restore.ts';
import { findResultRows, readResultRows } from '../../src/ledger/after-sending/results.ts';
import { countStatuses, readRowGroups } from '../../src/ledger/after-sending/row-counts.ts';
import {
  findGroupsByTerms,
  findRowsAnywhere,
  readFieldsOfGroup,
} from '../../src/ledger/after-sending/row-history.ts';
import { findRows } from '../../src/ledger/after-sending/row-search.ts';
import {
  findRowsToResolve,
  readSelectableRows,
  writeVerdicts,
} from '../../src/ledger/after-sending/verdicts.ts';
import { readOpenWork } from '../../src/ledger/after-sending/worklist.ts';
import {
  countSupersededOf,
  readCorrected,
  readCorrections,
  readDoubts,
  readUnansweredOf,
  readWaitingOf,
} from '../../src/ledger/batches/families.ts';
import { sumAmounts, sumRead } from '../../src/ledger/batches/readings.ts';
import { countUnknownAnswers, readLoggableAnswers } from '../../src/ledger/batches/run-logs.ts';
import { endRun, takeOverExpired } from '../../src/ledger/batches/runs.ts';
import { listRelatives, readSupersessions } from '../../src/ledger/before-sending/corrections.ts';
import {
  findByHandles,
  findCustomersById,
  findKeyOwners,
  listAccountHandles,
} from '../../src/ledger/before-sending/known-objects.ts';
import { findComing, readRowsToPlan, sumPlan } from '../../src/ledger/before-sending/plans.ts';
import { listRowsToPrepare, writePreparations } from '../../src/ledger/before-sending/prepare.ts';
import { listRowsToRecheck, writeRechecked } from '../../src/ledger/before-sending/recheck.ts';
import { analysis } from '../../src/ledger/before-sending/stage.ts';
import { readRevision } from '../../src/ledger/protocol/batch-lock.ts';
import { execute, uncheckedRows as query } from '../../src/ledger/query/sql.ts';
import { type ClaimRequest, claimRows } from '../../src/ledger/sending/claim.ts';
import {
  countMissingResponses,
  listMissingResponses,
  readKeptAnswers,
} from '../../src/ledger/sending/lost-facts.ts';
import { recordConclusions } from '../../src/ledger/sending/record.ts';
import { onServer } from '../support/ledger.ts';
import { attempt, claimRequest, concluded, executeByHand, readyPreparation } from '../support/ledger-rows.ts';
import { auditReaders } from './audit-readers.ts';
import { draftChanges, draftReaders, editStagedRows, stepOverEdits } from './draft-readers.ts';
import { type LargeBatch, largeBatch, payeesOfRows, walk } from './large-batch.ts';
import { batchPayeeReaders, payeeReaders } from './payee-readers.ts';
import { explained, explainedChange, type PlanNode, rowsHandledBy, rowsReadBy } from './plan-nodes.ts';

const wanted = { credential: 'key one', keyAgeInMs: 1e9 };
const rows = 50_000;
const openRows = 12_000;

/** A page has 2,000 rows; a scan may read some rows of a neighbouring chunk or page with them. */
const pageWithMargin = 2_600;

/** As the first page of the console asks. */
const workAsked = { batches: 500, doubts: 20, keyLifetimeInMs: { live: 1e9, sandbox: 1e9 } };

/** Rows of eight chunks. Most changes are about the rows of two claims. */
const rowsOfClaim = 512;

/** A step of a statement may handle this number of rows for each row that it is about. */
const workForARow = 10;

const unknownKeys = Array.from({ length: 2_000 }, () => randomUUID());

/** Everything that is read page by page, or for a group of rows, and how. */
const readers: readonly [string, (database: Knex, large: LargeBatch) => Promise<unknown>][] = [
  ['readResultRows', (database, { batch }) => walk(readResultRows(database, batch.id))],
  ['readAnsweredRows', (database, { batch }) => walk(evidence.readAnsweredRows(database, batch.id))],
  ['readSelectableRows', (database, { batch }) => walk(readSelectableRows(database, batch.id, true))],
  ['readUndecidedRows', (database, { batch }) => walk(evidence.readUndecidedRows(database, batch.id))],
  [
    'findOwnRecords',
    (database, { batch }) => evidence.findOwnRecords(database, batch, ['an id'], [Buffer.alloc(32)]),
  ],
  ['readOwnRecords', (database, { batch }) => walk(evidence.readOwnRecords(database, batch.id))],
  [
    'readReplayedRows',
    (database, large) => walk(evidence.readReplayedRows(database, large.batch.id, large.run.id)),
  ],
  ['readRowsToPlan', (database, { batch }) => walk(readRowsToPlan(database, batch.id))],
  [
    'listRowsToRestore',
    (database, { batch, lastRow }) => listRowsToRestore(database, batch.id, lastRow - 999, lastRow),
  ],
  [
    'readLoggableAnswers',
    (database, { batch, run }) => walk(readLoggableAnswers(database, batch.id, [run.id])),
  ],
  ['countUnknownAnswers', (database, { batch }) => countUnknownAnswers(database, batch.id, unknownKeys)],
  [
    'findGroupsByTerms',
    async (database) => expect(await findGroupsByTerms(database, [4_242, 4_243], 500)).not.toEqual([]),
  ],
  [
    'readFieldsOfGroup',
    (database, { batch }) =>
      readFieldsOfGroup(database, { batch: batch.id, file: '', firstRow: 24_000, lastRow: 24_999 }, [
        'external_id',
        'phone',
      ]),
  ],
  [
    'findRowsAnywhere',
    (database, { handles: [text = ''] }) =>
      findRowsAnywhere(database, { text, key: randomUUID(), kinds: ['customers', 'accounts'] }, 50),
  ],
  ['listRowsToPrepare', (database, { batch }) => listRowsToPrepare(database, batch.id, 0, 1_000)],
  ['listRowsToRecheck', (database, { batch }) => listRowsToRecheck(database, batch.id, 0, 1_000)],
  [
    'findByHandles',
    (database, { batch, handles }) =>
      findByHandles(database, batch.environmentId, 'customers', handles, [batch.id]),
  ],
  ['listAccountHandles', (database, { batch }) => listAccountHandles(database, batch.environmentId, 100)],
  [
    'findCustomersById',
    (database, { batch, objectIds }) => findCustomersById(database, batch.environmentId, objectIds),
  ],
  [
    'findKeyOwners',
    (database, { batch, naturalKeys }) =>
      findKeyOwners(database, batch.environmentId, 'customers', naturalKeys),
  ],
  [
    'findComing',
    (database, { batch, handles }) => findComing(database, batch.id, 'customers', handles, [batch.id]),
  ],
  ['findRowsToResolve', (database, { batch, numbers }) => findRowsToResolve(database, batch.id, numbers)],
  [
    'readKeptAnswers',
    (database, { batch, objectIds }) =>
      readKeptAnswers(
        database,
        batch.id,
        objectIds.map((objectId) => ({ row: Number(objectId.replace(/\D/g, '')), objectId })),
      ),
  ],
  [
    'listMissingResponses',
    (database, { batch }) =>
      listMissingResponses(database, batch.id, { ...wanted, afterRow: 40_000, limit: 200 }),
  ],
  ['countMissingResponses', (database, { batch }) => countMissingResponses(database, batch.id, wanted)],
  ...searches(),
  [
    'findResultRows',
    (database, { batch, numbers }) => findResultRows(database, batch.id, numbers.slice(0, 100)),
  ],
  ['findContradictions', (database, { batch }) => evidence.findContradictions(database, batch.id, 50)],
  ...payeeReaders,
  ...draftReaders,
  ...auditReaders,
];

/** Pages of rows from the middle of a batch, either way. */
function searches(): (typeof readers)[number][] {
  const filters: RowFilter[] = [
    {},
    ...resultStatuses.map((status) => ({ status })),
    { status: 'invalid', code: 'required' },
    { text: 'c-1', status: 'rejected' },
    { text: 'nothing is like that' },
  ];
  return filters.flatMap((filter) =>
    (['after', 'before'] as const).map((direction): (typeof readers)[number] => [
      `findRows ${direction} with ${JSON.stringify(filter)}`,
      (database, { batch }) =>
        findRows(database, batch.id, filter, { row: 24_000, direction }, { limit: 50, most: 10_000 }),
    ]),
  );
}

/** What is about all rows of a batch at once. */
const ofWholeBatches: readonly [string, (database: Knex, batchId: string) => Promise<unknown>][] = [
  ['sumPlan', sumPlan],
  ['sumAmounts', sumAmounts],
  ['sumRead', sumRead],
  ['readCorrections', (database, batchId) => readCorrections(database, [batchId])],
  ['readCorrected', (database, batchId) => readCorrected(database, [batchId])],
  ['countSupersededOf', (database, batchId) => countSupersededOf(database, [batchId])],
  ['listRelatives', listRelatives],
  ['readSupersessions', readSupersessions],
  ['readWaitingOf', (database, batchId) => readWaitingOf(database, [batchId])],
  ['readUnansweredOf', (database, batchId) => readUnansweredOf(database, [batchId])],
  ['readRowGroups', readRowGroups],
  ...batchPayeeReaders,
  ['countDraft', countDraft],
  ['readDoubts', (database, batchId) => readDoubts(database, [{ id: batchId, keyLifetimeInMs: 1e9 }])],
];

/** Changes rows. @returns how many */
type Change = (database: Knex) => Promise<number>;

interface Given {
  readonly database: Knex;
  readonly large: LargeBatch;
  /** Claims rows of several chunks in two claims. */
  readonly claim: () => Promise<ClaimedRow[]>;
}

const longAgo = '2026-01-01T00:00:00Z';

/** Everything that changes the rows of a group. */
const changes: readonly [string, (given: Given) => Promise<Change>][] = [
  ['recordConclusions of created rows', (given) => recording(given, 'created')],
  ['recordConclusions of created rows with a remark', (given) => recording(given, 'created', 'a remark')],
  ['recordConclusions of refused rows', (given) => recording(given, 'rejected')],
  ['recordConclusions of rows in doubt', (given) => recording(given, 'unknown')],
  [
    'recordConclusions of rows that are recorded',
    async (given) => {
      const record = await recording(given, 'created');
      await record(given.database);
      return record;
    },
  ],
  [
    'takeOverExpired',
    async ({ large: { batch, run } }) =>
      async (database) => {
        await endRun(database, run.id, 'stopped');
        return takeOverExpired(database, batch.id);
      },
  ],
  [
    'writePreparations',
    async ({ large: { batch, run, lastRow } }) => {
      const rows = lastRows(lastRow);
      const payees = payeesOfRows({ batch }, rows);
      const ready = rows.map((row, at) => {
        const payee = payees[at];
        return readyPreparation(batch, row, payee === undefined ? {} : { payee });
      });
      return async (database) => {
        expect(await writePreparations(database, batch.id, run.id, ready)).toBe(true);
        return ready.length;
      };
    },
  ],
  [
    'writeRechecked',
    async ({ large: { batch, lastRow } }) => {
      const reason = { code: 'unknown_institution', field: null, message: 'is not known' };
      const rows = lastRows(lastRow - openRows);
      const failed = rows.map((row) => ({ row, to: 'invalid' as const, findings: [], reason }));
      return (database) => writeRechecked(database, batch.id, failed);
    },
  ],
  [
    'restoreRows',
    async ({ large: { batch, run, lastRow } }) => {
      const answer = { number: 1, httpStatus: 201, durationInMs: 1, answeredAt: longAgo };
      const restorations = lastRows(lastRow).map((row) => ({
        ready: readyPreparation(batch, row),
        state: 'created' as const,
        objectId: `restored-${row}`,
        reason: null,
        credential: 'key one',
        firstSentAt: longAgo,
        attempts: 1,
        httpStatus: 201,
        answer,
      }));
      return async (database) => {
        await restoreRows(database, batch.id, run.id, restorations);
        return restorations.length;
      };
    },
  ],
  [
    'writeVerdicts',
    async ({ database, large: { batch, run }, claim }) => {
      const inDoubt = conclusionsOf(batch, await claim(), 'unknown');
      await recordConclusions(database, batch.id, run.id, inDoubt);
      const decided = inDoubt.map(({ row, conclusion }) => ({
        row,
        fromState: 'unknown' as const,
        to: 'staged' as const,
        verdict: 'not-created' as const,
        attempts: conclusion.attempts.length,
        objectId: null,
        note: '',
        message: 'decided',
      }));
      return async (open) => {
        expect(await writeVerdicts(open, batch.id, { runId: run.id, user: 'me' }, () => [decided])).toBe(
          true,
        );
        return decided.length;
      };
    },
  ],
  ...draftChanges.map(([name, change]): (typeof changes)[number] => [
    name,
    async ({ large }) => change(large),
  ]),
];

/** As many rows as two claims have, up to the given one. */
function lastRows(last: number): number[] {
  return Array.from({ length: 2 * rowsOfClaim }, (_, at) => last - 2 * rowsOfClaim + at + 1);
}

const outcomes = { created: 'created', rejected: 'refused', unknown: 'unknown' } as const;

function conclusionsOf(
  { id }: BatchRecord,
  claimed: readonly ClaimedRow[],
  state: 'created' | 'rejected' | 'unknown',
  message: string | null = null,
): RowConclusion[] {
  return claimed.map((row) => {
    const objectId = state === 'created' ? `${id} ${row.row}` : null;
    return concluded(row, {
      state,
      objectId,
      message,
      attempts: [attempt({ objectId, outcome: outcomes[state] })],
    });
  });
}

async function recording(
  { large: { batch, run }, claim }: Given,
  ...how: [state: 'created' | 'rejected' | 'unknown', message?: string]
): Promise<Change> {
  const conclusions = conclusionsOf(batch, await claim(), ...how);
  return async (database) => (await recordConclusions(database, batch.id, run.id, conclusions)).size;
}

function readsWholeTable(node: PlanNode): boolean {
  return node['Node Type'] === 'Seq Scan' && tables.includes(node['Relation Name'] ?? '');
}

/** Links each row of a batch, as a correction, to the row of the same number of the first one. */
async function noteCorrections(database: Knex, { batch }: LargeBatch, first: BatchRecord): Promise<void> {
  await execute(
    database,
    `INSERT INTO corrected_rows (batch_id, row_number, first_batch_id, first_row)
     SELECT batch_id, row_number, ?, row_number FROM row_states WHERE batch_id = ?`,
    [first.id, batch.id],
  );
}

const tables = [
  'corrected_rows',
  'row_states',
  'row_inputs',
  'requests',
  'attempts',
  'created_objects',
  'send_chunks',
  'claims',
  'payees',
  'payee_changes',
  'batch_payees',
  'draft_edits',
];

onServer((openTestLedger) => {
  let database: Knex;
  let large: LargeBatch;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
    for (const table of tables)
      await execute(database, `ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    large = await largeBatch(database, rows, openRows);
    await noteCorrections(database, large, large.batch);
    await editStagedRows(database, large, openRows);
  });

  // Above the tokens that the batch was made with.
  let lastToken = 1_000_000;
  const claimOf = (held: LargeBatch): ClaimRequest => {
    lastToken += 1;
    return claimRequest(held, { leaseToken: String(lastToken), limit: rowsOfClaim, rows: 'fresh' });
  };
  const mostReadBy = async (call: () => Promise<unknown>): Promise<number> => {
    const plans = await explained(database, call);
    return Math.max(...plans.flat().map(rowsReadBy));
  };
  const mostHandledForARow = async (change: Change): Promise<number> => {
    let rowsOfChange = 0;
    const plans = await explainedChange(database, async (open) => {
      rowsOfChange = await change(open);
    });
    expect(rowsOfChange).toBeGreaterThanOrEqual(rowsOfClaim);
    expect(plans.flat().filter(readsWholeTable)).toEqual([]);
    return Math.max(...plans.flat().map(rowsHandledBy)) / rowsOfChange;
  };

  // Staging has the server look at what it wrote; of all that is written later, an embedded ledger knows nothing. A
  // server looks at everything some day, and knows nothing of the batches after that.
  const statistics = ['as staging leaves them', 'of all tables', 'of the batches before'];
  describe.each(statistics)('with statistics %s', (known) => {
    beforeAll(async () => {
      await execute(database, known === 'as staging leaves them' ? analysis : 'ANALYZE');
      if (known !== 'of the batches before') return;
      const { batch: earlier } = large;
      large = await largeBatch(database, rows, openRows);
      await noteCorrections(database, large, earlier);
      await editStagedRows(database, large, openRows);
    });

    it.each(readers)('%s reads no more than its page', async (_, read) => {
      expect(await mostReadBy(() => read(database, large))).toBeLessThan(pageWithMargin);
    });

    it('a claim reads no more than what it hands over', async () => {
      const request = claimOf(large);
      const claim = async (open: Knex): Promise<number> => (await claimRows(open, request)).length;
      expect(await mostHandledForARow(claim)).toBeLessThan(workForARow);
    });

    it.each(changes)('%s handles no more than the rows that it is about', async (_, prepare) => {
      const claim = async (): Promise<ClaimedRow[]> => [
        ...(await claimRows(database, claimOf(large))),
        ...(await claimRows(database, claimOf(large))),
      ];
      const change = await prepare({ database, large, claim });
      expect(await mostHandledForARow(change)).toBeLessThan(workForARow);
    });

    it('what needs a person is known from the rows that are open alone, whatever else there is', async () => {
      const plans = await explained(database, () => readOpenWork(database, workAsked), true, 10);
      expect(plans.length).toBeGreaterThan(4);
      // A few of each hundred rows, and those that tests have left in doubt.
      const [open] = await query<{ rows: number }>(
        database,
        `SELECT count(*)::int AS rows FROM row_states WHERE state NOT IN ('staged', 'ready', 'created', 'existing', 'duplicate')`,
      );
      expect(open?.rows).toBeLessThan(rows / 4);
      expect(Math.max(...plans.flat().map(rowsReadBy))).toBeLessThan(1.1 * (open?.rows ?? 0));
      expect(plans.flat().filter(readsWholeTable)).toEqual([]);
    });

    it('discarding a whole draft handles each of its edits a few times', async () => {
      let discarded = 0;
      const plans = await explainedChange(database, async (open) => {
        discarded = await discardEdits(open, large.batch.id, 'amina', {});
      });
      expect(discarded).toBeGreaterThan(rowsOfClaim);
      expect(Math.max(...plans.flat().map(rowsHandledBy))).toBeLessThan(workForARow * discarded);
    });

    it('what a step has made of edited cells is known from a few looks at each of them', async () => {
      let cells = 0;
      const plans = await explained(database, async () => {
        cells = (await stepOverEdits(database, large)).length;
      });
      expect(cells).toBeGreaterThan(rowsOfClaim);
      expect(Math.max(...plans.flat().map(rowsHandledBy))).toBeLessThan(workForARow * cells);
    });

    it('counting looks at each row once', async () => {
      // And at what is left of those that a test changed and put back.
      expect(await mostReadBy(() => countStatuses(database, large.batch.id))).toBeLessThan(1.1 * rows);
    });

    it.each(ofWholeBatches)('%s looks at each row a few times', async (_, read) => {
      const plans = await explained(database, () => read(database, large.batch.id));
      expect(Math.max(...plans.flat().map(rowsHandledBy))).toBeLessThan(workForARow * rows);
    });
  });

  it('rows that were added up are not counted again', async () => {
    const done = await largeBatch(database, 5_000, 0);
    const totals = {
      ...{ counts: { created: 1 }, repeats: {}, contradicted: 0, sums: [], open: [] },
      valuesRefusedIn: null,
    };
    await keepRowTotals(database, done.batch.id, await readRevision(database, done.batch.id), totals, null);
    const read = (): Promise<unknown> => readFacts(database, [{ id: done.batch.id, keyLifetimeInMs: 1e9 }]);
    const statements: string[] = [];
    const collect = ({ sql }: { sql: string }): void => void statements.push(sql);
    database.on('query', collect);
    await read();
    database.off('query', collect);
    expect(statements.filter((sql) => sql.includes("state <> 'duplicate'"))).toEqual([]);
    // Those in doubt, of which each hundred has one, are looked at.
    expect(await mostReadBy(read)).toBeLessThan(200);
  });

  it('what needs a person is known without looking at batches that are done', async () => {
    const { batch } = await largeBatch(database, 200, 0);
    await executeByHand(
      database,
      `INSERT INTO batches (id, environment_id, kind, file_name, content_hash, reading_hash, header, import_id, staged_at,
         row_count, need)
       SELECT gen_random_uuid(), environment_id, kind, file_name, content_hash, reading_hash, header, import_id, staged_at,
         row_count, NULL FROM batches, generate_series(1, 20000) WHERE id = ?`,
      [batch.id],
    );
    await executeByHand(
      database,
      `WITH made AS (INSERT INTO reconciliations (batch_id, compared, result, made_by, outcome)
         SELECT id, '{}', '{}', 'ada', 'done' FROM batches WHERE need IS NULL RETURNING id, batch_id)
       INSERT INTO found_differences (batch_id, part, reconciliation_id, found, beyond, open, open_count)
       SELECT batch_id, 'own', id, '[]', 0, '[]', (row_number() OVER () < 5)::int FROM made`,
    );
    for (const known of ['before', 'after'] as const) {
      if (known === 'after') await execute(database, 'ANALYZE');
      const plans = await explained(database, () => readOpenWork(database, workAsked), true, 10);
      const ofBatches = plans
        .flat()
        .filter((node) => /^(batches|runs|reconciliations|found_)/.test(node['Relation Name'] ?? ''));
      expect(Math.max(...ofBatches.map(rowsReadBy))).toBeLessThan(100);
    }
  });

  it('that no row is left to recheck is known without reading the rows', async () => {
    const done = await largeBatch(database, 5_000, 0);
    const plans = await explained(database, () => listRowsToRecheck(database, done.batch.id, 0, 1));
    expect(Math.max(...plans.flat().map(rowsReadBy))).toBeLessThan(10);
  });
});
