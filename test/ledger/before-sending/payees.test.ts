import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/domain/batches/batch.ts';
import type { PayeeKeys } from '../../../src/domain/rows/finding.ts';
import type { StagedRow } from '../../../src/domain/rows/ledger-row.ts';
import { nameMarks, payeeName } from '../../../src/domain/text/payee-names.ts';
import {
  findComparedObjects,
  findEarlierPayees,
  findPayeeDecisions,
  listOpenFindings,
  listSharedRows,
  noteLaterFindings,
  readPayeeChanges,
} from '../../../src/ledger/before-sending/payee-changes.ts';
import {
  findFamilyRows,
  findKnownAccounts,
  findKnownNames,
  findNamedPayees,
  findPayees,
  listReadings,
} from '../../../src/ledger/before-sending/payees.ts';
import { writePreparations } from '../../../src/ledger/before-sending/prepare.ts';
import { execute } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';
import {
  beginTestRun,
  besides,
  claim,
  conclude,
  executeByHand,
  readyPreparation,
  stagedBatch,
  stagedRow,
} from '../../support/ledger-rows.ts';
import { keysOfPayee, payeeRecord } from '../../support/payees.ts';

type Payee = Parameters<typeof payeeRecord>;

const [first, second, third] = ['DE89370400440532013000', 'DE75512108001245126199', 'AT611904300234573201'];

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });

  const recipient = (row: number, payee: Payee, given: Partial<StagedRow> = {}): StagedRow =>
    stagedRow(row, { resource: 'recipients/sepa', record: payeeRecord(...payee), ...given });

  /** A batch of these payees, from row 2 on, each of which came to the state beside it. */
  async function paidBatch(
    payees: readonly (readonly [...Payee])[],
    states: readonly ('created' | 'rejected' | 'unknown' | 'held' | 'ready')[],
    beside?: BatchRecord,
  ): Promise<BatchRecord> {
    const rows = payees.map((payee, at) => recipient(at + 2, [...payee]));
    const batch = await stagedBatch(database, rows, {
      kind: 'recipients',
      ...(beside === undefined ? {} : besides(beside)),
    });
    const run = await beginTestRun(database, batch);
    const preparations = payees.map((payee, at) =>
      readyPreparation(batch, at + 2, { payee: keysOfPayee(...payee) }),
    );
    await writePreparations(database, batch.id, run.id, preparations, 1);
    const claimed = await claim(database, { batch, run });
    for (const [at, state] of states.entries()) {
      const own = claimed.filter(({ row }) => row === at + 2);
      await conclude(database, { batch, run }, own, {
        state,
        ...(state === 'created' ? { objectId: `${batch.id} ${at + 2}` } : {}),
      });
    }
    return batch;
  }

  const asked = (...payees: readonly Payee[]): (PayeeKeys & { readonly n: number })[] =>
    payees.map((payee, n) => ({ n, ...keysOfPayee(...payee) }));

  describe('known payees', () => {
    it('are found by customer and name, or by account, once their objects exist or may', async () => {
      const names = ['Ada Berg', 'Ben Okello', 'Cleo Diallo', 'Dan Novak', 'Eva Silva'];
      const batch = await paidBatch(
        names.map((name, at): Payee => [name, `${first}${at}`]),
        ['created', 'rejected', 'unknown', 'held', 'ready'],
      );
      const byName = asked(...names.map((name): Payee => [name, third]));
      const found = await findPayees(database, batch.environmentId, byName, []);
      const same = { isSameCustomer: true, isSameName: true, isSameDetails: false };
      expect(found).toEqual([0, 2].map((n) => ({ n, batch: batch.id, row: n + 2, ...same })));
      const byAccount = asked(['Berg, ADA', `${first}0`], ['Somebody', `${first}2`, 'customer-2']);
      expect(await findPayees(database, batch.environmentId, byAccount, [])).toMatchObject([
        { n: 0, row: 2, isSameName: true, isSameDetails: true },
        { n: 1, row: 4, isSameCustomer: false, isSameName: false, isSameDetails: true },
      ]);
      expect(await findPayees(database, batch.environmentId, byName, [batch.id])).toEqual([]);
      expect(await findPayees(database, batch.environmentId + 1, byName, [])).toEqual([]);
    });

    it('are found by one account among very many, without reading all others', async () => {
      const many = Array.from({ length: 30 }, (_, at): Payee => ['Ada Berg', `${second}${at}`]);
      const batch = await paidBatch(
        many,
        many.map(() => 'created' as const),
      );
      for (const payee of [many[0], many[17], many[29]]) {
        const found = await findPayees(database, batch.environmentId, asked(payee ?? ['', '']), []);
        expect(found.length).toBeLessThan(30);
        expect(found.filter(({ isSameDetails }) => isSameDetails)).toHaveLength(1);
      }
    });

    it('are listed by names and marks for each customer, whatever the outcome of their rows', async () => {
      const batch = await paidBatch(
        [
          ['Ada Berg', first],
          ['Ben Okello', second],
        ],
        ['rejected', 'created'],
      );
      const { customer, name } = keysOfPayee('Ada Berg', first);
      const unknown = keysOfPayee('Ada Berg', first, 'customer-9').customer;
      const found = await findKnownNames(database, batch.environmentId, [unknown, customer]);
      expect(found.map(({ n }) => n)).toEqual([1]);
      const marks = new Map(found[0]?.names?.map((each) => [each.name, each.marks]));
      expect(marks.get(name)).toEqual(nameMarks(payeeName('Ada Berg')));
      expect(marks.size).toBe(2);
      expect(await findKnownNames(database, batch.environmentId + 1, [customer])).toEqual([]);
      expect(await findKnownNames(database, batch.environmentId, [])).toEqual([]);
    });

    it('are not listed by name for a customer of more than twenty', async () => {
      const most = Array.from(
        { length: 21 },
        (_, at): Payee => [`Payee ${'x'.repeat(at + 1)}`, `${first}${at}`],
      );
      const batch = await paidBatch(most, []);
      const { customer } = keysOfPayee('', first);
      expect(await findKnownNames(database, batch.environmentId, [customer])).toEqual([
        { n: 0, names: null },
      ]);
    });

    it('of an earlier version have no marks, and are listed all the same', async () => {
      const batch = await paidBatch([['Ada Berg', first]], ['created']);
      await execute(database, 'UPDATE payees SET name_marks = DEFAULT WHERE batch_id = ?', [batch.id]);
      const { customer, name } = keysOfPayee('Ada Berg', first);
      expect(await findKnownNames(database, batch.environmentId, [customer])).toEqual([
        { n: 0, names: [{ name, marks: null }] },
      ]);
    });

    it('are found by account', async () => {
      const batch = await paidBatch([['Ada Berg', first]], ['created']);
      const accounts = [second, first, third].map((iban) => keysOfPayee('', iban).account);
      expect(await findKnownAccounts(database, batch.environmentId, accounts)).toEqual(new Set([1]));
      expect(await findKnownAccounts(database, batch.environmentId + 1, accounts)).toEqual(new Set());
    });

    it('are read with their names as they were written, the newest first', async () => {
      const batch = await paidBatch(
        [
          ['Ada Berg', first],
          ['BERG Ada', second],
          ['Ben Okello', third],
        ],
        ['created', 'created', 'rejected'],
      );
      await executeByHand(
        database,
        `UPDATE created_objects SET created_at = created_at - interval '1 day' WHERE batch_id = ? AND row_number = 2`,
        [batch.id],
      );
      const names = asked(['Ada Berg', third], ['Ben Okello', third]);
      const accountOf = (iban: string): string => keysOfPayee('', iban).account;
      expect(await findNamedPayees(database, batch.environmentId, names, [])).toEqual([
        {
          n: 0,
          batch: batch.id,
          row: 3,
          name: 'BERG Ada',
          account: accountOf(second),
          cells: ['c-3', 'c3@example.test'],
        },
        {
          n: 0,
          batch: batch.id,
          row: 2,
          name: 'Ada Berg',
          account: accountOf(first),
          cells: ['c-2', 'c2@example.test'],
        },
      ]);
      expect(await findNamedPayees(database, batch.environmentId, names, [batch.id])).toEqual([]);
    });

    it('are those of the newest request of a row', async () => {
      const batch = await paidBatch([['Ada Berg', first]], ['rejected']);
      const run = await beginTestRun(database, batch, { join: true });
      await executeByHand(
        database,
        `UPDATE row_states SET state = 'staged', generation = 2, natural_key = NULL, first_sent_at = NULL
         WHERE batch_id = ?`,
        [batch.id],
      );
      const payee = keysOfPayee('Ada Berg', second);
      const again = readyPreparation(batch, 2, { generation: 2, payee });
      await writePreparations(database, batch.id, run.id, [again]);
      const accounts = [keysOfPayee('', first).account, payee.account];
      expect(await findKnownAccounts(database, batch.environmentId, accounts)).toEqual(new Set([1]));
    });
  });

  it('knows the readings of a content, and the families of single rows', async () => {
    const batch = await stagedBatch(database, 2);
    const reading = await stagedBatch(database, 1, {
      ...besides(batch),
      contentHash: batch.contentHash,
      readingHash: randomUUID(),
    });
    const correction = await stagedBatch(
      database,
      [stagedRow(2, { corrects: { batch: batch.id, row: 2 } }), stagedRow(3)],
      besides(batch),
    );
    const again = await stagedBatch(
      database,
      [stagedRow(5, { corrects: { batch: correction.id, row: 2 } })],
      besides(batch),
    );
    const readings = await listReadings(database, batch.environmentId, batch.contentHash);
    expect(readings.toSorted()).toEqual([batch.id, reading.id].toSorted());
    expect(await listReadings(database, batch.environmentId + 1, batch.contentHash)).toEqual([]);
    const family = [`${batch.id} 2`, `${reading.id} 2`, `${correction.id} 2`, `${again.id} 5`].toSorted();
    for (const [{ id }, row] of [
      [batch, 2],
      [correction, 2],
      [again, 5],
    ] as const) {
      const found = await findFamilyRows(database, [{ n: 4, batch: id, row }]);
      expect(found.map((each) => `${each.batch} ${each.row}`).toSorted()).toEqual(family);
      expect(new Set(found.map(({ n }) => n))).toEqual(new Set([4]));
    }
    const alone = { n: 0, batch: batch.id, row: 3 };
    expect(await findFamilyRows(database, [alone])).toEqual([alone]);
  });

  describe('findings', () => {
    /** Last month, and a batch in which Ada has another account, and two others share one. */
    async function months(): Promise<{ readonly before: BatchRecord; readonly now: BatchRecord }> {
      const before = await paidBatch([['Ada Berg', first]], ['created']);
      const keys = [
        keysOfPayee('Ada Berg', second),
        keysOfPayee('Ben Okello', third),
        keysOfPayee('Cleo Diallo', third),
      ] as const;
      const earlier = { batch: before.id, row: 2 };
      const changed = { row: 2, code: 'payee_details_changed', earlier, keys: keys[0] } as const;
      const shared = {
        row: 4,
        code: 'account_shared',
        earlier: { batch: null, row: 3 },
        keys: keys[2],
      } as const;
      const now = await stagedBatch(
        database,
        [
          recipient(2, ['Ada Berg', second], { changes: [changed] }),
          recipient(3, ['Ben Okello', third]),
          recipient(4, ['Cleo Diallo', third], { changes: [shared] }),
        ],
        { kind: 'recipients', ...besides(before) },
      );
      return { before, now };
    }

    it('are read with both sides, in row order', async () => {
      const { before, now } = await months();
      const pages: unknown[] = [];
      for await (const page of readPayeeChanges(database, now.id)) pages.push(...page);
      expect(pages).toMatchObject([
        {
          ...{ row: 2, code: 'payee_details_changed', earlierBatch: before.id, earlierRow: 2 },
          ...{ record: payeeRecord('Ada Berg', second), earlierRecord: payeeRecord('Ada Berg', first) },
          ...{ earlierFile: 'people.csv', earlierObject: `${before.id} 2`, isStillUsed: false },
          createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        },
        {
          ...{ row: 4, code: 'account_shared', earlierBatch: now.id, earlierRow: 3 },
          ...{ earlierObject: null, createdAt: null, isStillUsed: true },
        },
      ]);
    });

    it('name the earlier row of the file as well, once it is staged', async () => {
      const { now } = await months();
      expect(await listSharedRows(database, now.id)).toEqual([
        { row: 3, code: 'account_shared', sharedBy: 4 },
      ]);
      const keys = keysOfPayee('Ben Okello', third);
      const later = { row: 3, code: 'account_shared', earlier: { batch: null, row: 4 }, keys } as const;
      await noteLaterFindings(database, now, [later]);
      expect(await listSharedRows(database, now.id)).toEqual([]);
      const open = await listOpenFindings(database, now.id, 0);
      expect(open.map(({ row, code }) => [row, code])).toEqual([
        [2, 'payee_details_changed'],
        [3, 'account_shared'],
        [4, 'account_shared'],
      ]);
      expect((await listOpenFindings(database, now.id, 3)).map(({ row }) => row)).toEqual([4]);
    });

    it('have earlier rows and objects that are found by place', async () => {
      const { before, now } = await months();
      const places = [
        { batch: before.id, row: 2 },
        { batch: now.id, row: 3 },
        { batch: randomUUID(), row: 2 },
      ];
      const found = await findEarlierPayees(database, places);
      expect(found.map(({ batch, row, record }) => [batch, row, record['account_name']]).toSorted()).toEqual(
        [
          [before.id, 2, 'Ada Berg'],
          [now.id, 3, 'Ben Okello'],
        ].toSorted(),
      );
      expect(await findComparedObjects(database, now.id, [2, 3, 4])).toEqual(
        new Map([[2, `${before.id} 2`]]),
      );
    });

    it('are decided for a customer, name and account by the newest verdict', async () => {
      const { now } = await months();
      const ada = asked(['Ada Berg', second], ['Ada Berg', third], ['Ben Okello', third]);
      expect(await findPayeeDecisions(database, now.environmentId, ada)).toEqual([]);
      const run = await beginTestRun(database, now);
      const decide = (verdict: string, objectId: string | null): Promise<number> =>
        execute(
          database,
          `INSERT INTO verdicts (batch_id, row_number, generation, from_state, from_code, attempts, verdict, object_id,
             decided_by, run_id)
           VALUES (?, 2, 1, 'held', 'payee_details_changed', 0, ?, ?, 'me', ?)`,
          [now.id, verdict, objectId, run.id],
        );
      await decide('existing', 'object');
      await decide('send', null);
      const sent = { n: 0, verdict: 'send', objectId: null };
      expect(await findPayeeDecisions(database, now.environmentId, ada)).toEqual([sent]);
      expect(await findPayeeDecisions(database, now.environmentId + 1, ada)).toEqual([]);
      expect((await listOpenFindings(database, now.id, 0)).map(({ row }) => row)).toEqual([4]);
    });
  });
});
